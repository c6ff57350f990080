"""Builds the wheel: tools/python.sh, which puts the library and the declarations into the package."""
import re

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel

with open("sett/_api.py", encoding="utf-8") as file:
    number = int(re.search(r"VERSION = (\d+)", file.read()).group(1))


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """The library is for one kind of machine, and for every Python 3."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    name="sett",
    version="%d.%d.%d" % (number // 10000, number // 100 % 100, number % 100),
    description="An entity component system with snapshots",
    license="MIT",
    packages=["sett"],
    package_data={"sett": ["libsett.so", "libsett_inspector.so"]},
    python_requires=">=3.8",
    install_requires=["cffi>=1.12", "numpy>=1.17"],
    distclass=WithLibrary,
    cmdclass={"bdist_wheel": AnyPython},
)
