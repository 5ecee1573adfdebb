//! A polyhedral cone in exact integers, kept as its generators together with its facets.
//!
//! A polyhedron {x : A x <= b} is the slice x0 = 1 of a cone, so that vertices (x0 > 0) and rays (x0 = 0) are treated alike. The
//! double description method (Motzkin, Raiffa, Thompson, Thrall 1953; Fukuda and Prodon 1996) adds one half-space at a time:
//! generators on its far side leave, and each pair of adjacent generators, one on either side, leaves one on the boundary. Two are
//! adjacent if no third saturates all half-spaces that both saturate. The same method turns generators into facets, since the
//! facets of a cone are the generators of its dual.
//!
//! Entries are divided by their greatest common divisor. One beyond 2^52 ends the search: nothing is rounded, and inner products stay
//! within 128 bits.

use super::outcome::TASKS_MAX;
use crate::Budget;
use crate::budget::Unfinished;
use prazo_core::ratio::gcd;

/// The most coordinates of a vector: one that makes it homogeneous, and two for each task.
pub(super) const COORDINATES: usize = 2 * TASKS_MAX + 1;

/// The largest entry of a vector.
const ENTRY_MAX: u128 = 1 << 52;

/// A point or direction in homogeneous coordinates, or the normal of a half-space through the origin.
pub(super) type Vector = [i64; COORDINATES];

/// Which of the half-spaces inserted so far a generator lies on the boundary of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Saturated([u64; 4]);

/// The most half-spaces that one cone may be made of.
const INSERTED_MAX: usize = 256;

impl Saturated {
    /// The first `count` of them.
    fn first(count: usize) -> Self {
        let mut all = Self::default();
        (0..count).for_each(|index| all.insert(index));
        all
    }

    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    fn includes(self, other: Self) -> bool {
        (0..4).all(|word| other.0[word] & !self.0[word] == 0)
    }
}

/// A generator with what it saturates.
#[derive(Clone, Copy, Debug)]
struct Ray {
    vector: Vector,
    saturated: Saturated,
}

/// The cone of all x with h x >= 0 for each inserted h: lines, along which it reaches both ways, and extreme rays.
#[derive(Clone, Debug)]
pub(super) struct Cone {
    lines: Vec<Vector>,
    rays: Vec<Ray>,
    inserted: usize,
}

impl Cone {
    /// The whole space of the first `coordinates`.
    pub(super) fn space(coordinates: usize) -> Self {
        let axis = |index: usize| std::array::from_fn(|other| i64::from(other == index));
        Self { lines: (0..coordinates).map(axis).collect(), rays: Vec::new(), inserted: 0 }
    }

    /// The dual of the cone that `generators` span: its lines are equalities, and its rays the facets of that cone.
    pub(super) fn dual(coordinates: usize, generators: &[Vector], budget: &mut Budget) -> Result<Self, Unfinished> {
        let mut dual = Self::space(coordinates);
        generators.iter().try_for_each(|generator| dual.insert(generator, budget))?;
        Ok(dual)
    }

    /// Directions in which the cone reaches both ways.
    pub(super) fn lines(&self) -> &[Vector] {
        &self.lines
    }

    /// Its extreme rays.
    pub(super) fn rays(&self) -> impl ExactSizeIterator<Item = &Vector> {
        self.rays.iter().map(|ray| &ray.vector)
    }

    /// Takes away what is beyond `normal`.
    pub(super) fn insert(&mut self, normal: &Vector, budget: &mut Budget) -> Result<(), Unfinished> {
        budget.spend((self.lines.len() + self.rays.len()) as u64)?;
        if self.inserted == INSERTED_MAX {
            return Err(Unfinished::TooLarge);
        }
        match self.lines.iter().position(|line| dot(normal, line) != 0) {
            Some(index) => self.cut_line(index, normal)?,
            None => self.cut_rays(normal, budget)?,
        }
        self.inserted += 1;
        Ok(())
    }

    /// One of the lines leaves the boundary: half of it remains as a ray, and all else is moved along it into the boundary.
    fn cut_line(&mut self, index: usize, normal: &Vector) -> Result<(), Unfinished> {
        let mut line = self.lines.swap_remove(index);
        if dot(normal, &line) < 0 {
            line = line.map(|entry| -entry);
        }
        for other in &mut self.lines {
            *other = onto(normal, &line, other)?;
        }
        for ray in &mut self.rays {
            ray.vector = onto(normal, &line, &ray.vector)?;
            ray.saturated.insert(self.inserted);
        }
        self.rays.push(Ray { vector: line, saturated: Saturated::first(self.inserted) });
        Ok(())
    }

    fn cut_rays(&mut self, normal: &Vector, budget: &mut Budget) -> Result<(), Unfinished> {
        let sides: Vec<i128> = self.rays.iter().map(|ray| dot(normal, &ray.vector)).collect();
        let mut made = Vec::new();
        for above in (0..sides.len()).filter(|&index| sides[index] > 0) {
            for below in (0..sides.len()).filter(|&index| sides[index] < 0) {
                let common = self.rays[above].saturated.and(self.rays[below].saturated);
                budget.spend(1)?;
                let is_between =
                    |(index, ray): (usize, &Ray)| index != above && index != below && ray.saturated.includes(common);
                if self.rays.iter().enumerate().any(is_between) {
                    continue;
                }
                let [upper, lower] = [above, below].map(|index| &self.rays[index].vector);
                let vector = combined([(sides[above], lower), (-sides[below], upper)])?;
                made.push(Ray { vector, saturated: common });
            }
        }
        let mut index = 0;
        self.rays.retain_mut(|ray| {
            let side = sides[index];
            index += 1;
            if side == 0 {
                ray.saturated.insert(self.inserted);
            }
            side >= 0
        });
        made.iter_mut().for_each(|ray| ray.saturated.insert(self.inserted));
        self.rays.append(&mut made);
        Ok(())
    }
}

/// The inner product.
pub(super) fn dot(left: &Vector, right: &Vector) -> i128 {
    left.iter().zip(right).map(|(left, right)| i128::from(*left) * i128::from(*right)).sum()
}

/// `vector` moved along `line`, which is above the boundary of `normal`, into that boundary.
fn onto(normal: &Vector, line: &Vector, vector: &Vector) -> Result<Vector, Unfinished> {
    combined([(dot(normal, line), vector), (-dot(normal, vector), line)])
}

/// The sum of two multiples, divided by the greatest common divisor of its entries.
pub(super) fn combined(terms: [(i128, &Vector); 2]) -> Result<Vector, Unfinished> {
    let [(first, left), (second, right)] = terms;
    let common = gcd(first.unsigned_abs(), second.unsigned_abs()).max(1) as i128;
    let (first, second) = (first / common, second / common);
    let mut sums = [0i128; COORDINATES];
    for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
        let products = [(first, *left), (second, *right)].map(|(factor, entry)| factor.checked_mul(entry.into()));
        let [Some(one), Some(other)] = products else { return Err(Unfinished::TooLarge) };
        *sum = one.checked_add(other).ok_or(Unfinished::TooLarge)?;
    }
    reduced(&sums)
}

/// The vector of these entries over their greatest common divisor.
pub(super) fn reduced(entries: &[i128; COORDINATES]) -> Result<Vector, Unfinished> {
    let common = entries.iter().fold(0, |common, entry| gcd(common, entry.unsigned_abs())).max(1) as i128;
    let mut vector = [0; COORDINATES];
    for (entry, wide) in vector.iter_mut().zip(entries) {
        let small = wide / common;
        if small.unsigned_abs() > ENTRY_MAX {
            return Err(Unfinished::TooLarge);
        }
        *entry = small as i64;
    }
    Ok(vector)
}
