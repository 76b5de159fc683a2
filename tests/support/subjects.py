"""All mutants and variants: those of the package, and those of tests/population."""

from pathlib import Path

from conformance.assurance.selftest import population
from conformance.assurance.selftest.population import Mutant, Subject, Variant

FILES = sorted((Path(__file__).parents[1] / "population").glob("*.toml"))
SUBJECTS = population.distinct([*population.shipped(), *population.load(FILES)])
BY_ID: dict[str, Subject] = {subject.id: subject for subject in SUBJECTS}
MUTANTS = [subject for subject in SUBJECTS if isinstance(subject, Mutant)]
VARIANTS = [subject for subject in SUBJECTS if isinstance(subject, Variant)]
