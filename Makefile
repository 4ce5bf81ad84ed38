# Every target is one line; the logic is in scripts/.
.PHONY: demo test check prove bench bench-cluster fuzz wire-image install-tools fmt
.DEFAULT_GOAL := test

demo: ; @scripts/demo.sh
test: ; @scripts/test.sh
check: ; @scripts/check.sh
prove: ; @scripts/prove.sh
bench: ; @scripts/bench.sh
bench-cluster: ; @scripts/bench-cluster.sh
fuzz: ; @scripts/fuzz.sh
wire-image: ; @scripts/wire-image.sh
install-tools: ; @scripts/install-tools.sh
fmt: ; @scripts/fmt.sh
