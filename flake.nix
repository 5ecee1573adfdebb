{
  description = "Will it make the deadline? Measures and proves real-time behaviour";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "prazo";
          version = "0.1.0";
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package" "prazo-cli" ];
          # The BPF programs; the wrapped clang adds flags that this target refuses.
          CLANG = "${pkgs.llvmPackages.clang-unwrapped}/bin/clang";
          # The suite measures the machine that it runs on, and boots guests.
          doCheck = false;
          meta.license = with pkgs.lib.licenses; [ mit asl20 gpl2Only ];
        };
      });
    };
}
