# not run here: Debian has no Conan. Conan 2, from a clone: conan create packaging/conan
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Sett(ConanFile):
    name = "sett"
    version = "0.2.0"
    license = "MIT"
    description = "Entity component system in C"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def layout(self):
        cmake_layout(self)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("WERROR", "BUILD_ADDONS", "BUILD_BENCHMARKS", "BUILD_EXAMPLES", "BUILD_TESTS"):
            toolchain.variables["SETT_" + part] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The package's own files for CMake know both libraries, and which one a build type takes.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "sett")]
        windows = self.settings.os == "Windows"
        self.cpp_info.libs = ["sett" if self.options.shared or not windows else "sett_static"]
        if self.options.shared:
            self.cpp_info.defines = ["SETT_DLL"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
