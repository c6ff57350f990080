# What a person types. CMake and the scripts in tools/ do the work; each target first sees to it
# that what it needs is installed (tools/deps.sh).

# Handed to the program that run and bench start: make run ARGS="--map MAP01 --ticks 350"
ARGS ?=
# Random operations of `make soak`; seconds for each target of `make fuzz`.
OPERATIONS ?= 10000000
SECONDS ?= 60
# Simulated seconds of each game of `make net-soak`, and real ones of its four processes.
GAME_SECONDS ?= 600
# The map that the page shows; random games that its test compares.
MAP ?= MAP01
SCRIPTS ?= 100
# A game for several: who one is, of how many, and where the host listens (host:port).
together := $(if $(SERVE),--serve) $(if $(JOIN)$(PEER),--join $(or $(JOIN),$(PEER))) \
    $(if $(PLAYERS),--players $(PLAYERS)) $(if $(PLAYER),--player $(PLAYER))
# Where `make install` puts it.
PREFIX ?= /usr/local
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
export JOBS
MAKEFLAGS += --no-print-directory

release := build/release
# Only errors are worth reading of a configuration; the build says what it compiles.
configure := cmake -S . -B $(release) -DSETT_BUILD_TESTS=OFF -DSETT_BUILD_BENCHMARKS=OFF >/dev/null

.PHONY: build run play serve web serve-web serve-arena test-web test-mpi inspect page test-inspector site test-site test test-all test-cpp python coverage bench bench-full bench-builds bench-net soak net-soak fuzz amalgamate dist packages install format clean help bench-abm

build: ## the library and the examples, in build/release (what plain `make` does)
	@tools/deps.sh build
	@$(configure)
	@cmake --build $(release) --parallel $(JOBS)

run: ## simulate the levels of Freedoom; options in ARGS, ARGS=--help lists them
	@tools/deps.sh run
	@$(configure)
	@cmake --build $(release) --parallel $(JOBS) --target freedoom
	@$(release)/freedoom/freedoom $(ARGS)

play: ## play them in a window, and rewind; ARGS=--demo plays by itself; JOIN=host joins a `make serve`
	@tools/deps.sh play
	@$(configure)
	@cmake --build $(release) --parallel $(JOBS) --target freedoom_play
	@$(release)/freedoom/freedoom_play $(together) $(ARGS)

serve: ## play, and others join: PLAYERS=2 to 4; each of them: make play JOIN=host PLAYER=2; after make web, pages too
	@$(MAKE) play SERVE=yes ARGS="$(if $(wildcard build/web/freedoom.wasm),--pages build/web) $(ARGS)"

inspect: ## look into Freedoom with a browser: prints the address; options in ARGS
	@tools/deps.sh inspect
	@$(configure)
	@tools/quietly.sh inspect cmake --build $(release) --parallel $(JOBS) --target freedoom
	@$(release)/freedoom/freedoom --inspect --ticks 4000000000 $(ARGS)

page: ## build the inspector's page into addons/inspector/page.inc; needs node
	@tools/deps.sh page
	@tools/page.sh

test-inspector: ## drive the inspector in a browser; pictures in out/inspector
	@tools/deps.sh test-inspector
	@$(configure)
	@cmake --build $(release) --parallel $(JOBS) --target freedoom
	@tools/page.sh --test $(release)

web: ## Freedoom as a page, in build/web: WebAssembly, all maps; MAP=E1M1 shows another one
	@tools/deps.sh web
	@MAP=$(MAP) tools/quietly.sh web tools/web.sh
	@tail -n 3 build/log/web.txt

serve-web: web ## and look at it: http://localhost:8000
	@python3 -m http.server -b 127.0.0.1 -d build/web 8000

test-web: ## pages in a browser: Freedoom's, with SCRIPTS=100 random games, and pages that join games
	@tools/deps.sh test-web
	@MAP=$(MAP) tools/quietly.sh web tools/web.sh
	@MAP=$(MAP) tools/test_web.sh $(SCRIPTS)
	@tools/arena_web.sh --test

serve-arena: ## an arena that pages in browsers join: http://127.0.0.1:8080
	@tools/deps.sh test-web
	@tools/arena_web.sh
	@build/release/examples/arena_server

test: ## format, names, headers, unit tests with sanitizers; says what it leaves out
	@tools/deps.sh test
	@tools/test.sh

test-cpp: ## the tests of sett.hpp: g++ and clang++, C++17 and C++20, and what must not compile
	@tools/deps.sh test
	@tools/test.sh cpp

test-mpi: ## one world over 1 to 8 ranks, OpenMPI and MPICH, and ranks that are killed; some minutes
	@tools/deps.sh test-mpi
	@tools/ranks.sh
	@tools/ranks.sh --kill 20

python: ## the Python module, as a wheel in build/python/dist; docs/python.md
	@tools/deps.sh python
	@$(configure)
	@cmake --build $(release) --parallel $(JOBS) --target sett_shared
	@tools/python.sh $(release)/libsett.so

test-all: test ## then all the others, and each command of this list opened: an hour
	@tools/deps.sh test-all
	@tools/test.sh --long

coverage: ## lines and branches of src/ that the unit tests run, by file, fewest first
	@tools/deps.sh coverage
	@tools/coverage.py

bench: ## measure, and print a table
	@tools/deps.sh bench
	@tools/bench.sh $(ARGS)

bench-full: ## measure at length, in some 25 minutes, and write docs/bench; raw data in out/bench
	@tools/deps.sh bench
	@tools/bench.sh --full $(ARGS)

bench-builds: ## compare compilers, flags and huge pages: out/bench/builds.csv
	@tools/deps.sh bench
	@tools/bench_builds.sh

soak: ## the model tests at length, two at a time: OPERATIONS=10000000
	@tools/deps.sh build
	@SETT_OPERATIONS=$(OPERATIONS) tools/test.sh soak

# A build of its own: with tests and benchmarks, and without the rest.
net := build/net
configure_net := cmake -S . -B $(net) -DSETT_INSTALL=OFF >/dev/null

net-soak: ## sessions and servers over bad networks: GAME_SECONDS=600 of each game
	@tools/deps.sh play
	@$(configure_net)
	@cmake --build $(net) --parallel $(JOBS) --target test_net_soak test_net_server test_together arena_process
	@tools/net_processes.sh $(net)/addons/enet/arena_process $(GAME_SECONDS)
	@SETT_SECONDS=$(GAME_SECONDS) $(net)/freedoom/test_together
	@SETT_SECONDS=$(GAME_SECONDS) $(net)/addons/net/test_net_soak
	@SETT_SECONDS=$(GAME_SECONDS) $(net)/addons/net/test_net_server many_clients_over_a_bad_network

bench-net: ## what a server sends to its clients and what it costs, rollback, a pile of cubes: tables
	@tools/deps.sh bench-net
	@$(configure_net)
	@cmake --build $(net) --parallel $(JOBS) --target sett_net_bench
	@$(net)/bench/sett_net_bench

# A jar with MASON and its models: bench/abm_main.c says what it prints.
MASON ?=

bench-abm: ## models of agents, beside MASON's with MASON=<jar>: times and end statistics
	@tools/deps.sh build
	@$(configure_net)
	@cmake --build $(net) --parallel $(JOBS) --target sett_abm_bench
	@$(net)/bench/sett_abm_bench $(MASON)

fuzz: ## the fuzzers, SECONDS=60 for each
	@tools/deps.sh fuzz
	@tools/fuzz.sh $(SECONDS)

site: ## the documentation site, build/site/index.html
	@tools/deps.sh site
	@tools/quietly.sh see tools/see.sh
	@grep '^see:' build/log/see.txt || true
	@tools/quietly.sh api tools/api.py
	@tools/quietly.sh site tools/site.py
	@tail -n 3 build/log/site.txt

test-site: site ## look at it in a browser: four widths, search, programs; pictures in out/site
	@tools/deps.sh test-site
	@NODE_PATH=$$(tools/browser.sh) node docs/site/see.js

install: ## the library, for debugging too, and the add-ons: PREFIX=/usr/local, DESTDIR=
	@tools/deps.sh build
	@$(configure)
	@cmake --install $(release) --prefix "$(PREFIX)"

amalgamate: ## write sett.h and sett.c to build/amalgamation
	@tools/amalgamate.sh

dist: ## pack a release into build/dist: the same commit gives the same bytes
	@tools/dist.sh

packages: ## a Debian package and a Meson wrap, built and used, in build/packages; recipes are checked
	@tools/deps.sh packages
	@tools/packages.sh

format: ## lay the code out as .clang-format says
	@tools/deps.sh format
	@tools/check_format.sh --fix

clean: ## delete everything that was built or written
	rm -rf build out

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile
