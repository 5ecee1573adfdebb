//! The program `prazo`.

fn main() -> std::process::ExitCode {
    prazo_cli::main()
}
