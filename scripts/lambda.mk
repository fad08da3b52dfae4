# What the makefiles of functions/ and layers/ share. `sam build` runs them; they need uv.
# Packages come for Lambda's own machine, whatever machine and Python run this.
here := $(dir $(abspath $(firstword $(MAKEFILE_LIST))))
root := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))..
site := $(ARTIFACTS_DIR)/python
# What template.yaml deploys. The runtime tests ask for x86_64, on a copy of it.
LAMBDA_ARCHITECTURE ?= arm64
platform := $(if $(filter arm64,$(LAMBDA_ARCHITECTURE)),aarch64,$(LAMBDA_ARCHITECTURE))-manylinux_2_34

# $(call install_packages,FLAGS): the packages of uv.lock that `uv export FLAGS` selects.
define install_packages
	uv export --quiet --frozen --no-emit-project --format pylock.toml --project $(root) $(1) --output-file pylock.toml
	$(call install_lock,pylock.toml)
endef

# $(call install_lock,FILE): the packages of a lock, each held to its hashes.
# RECORD lists what was there before this; stubs and headers serve compilers and editors.
define install_lock
	uv pip install --quiet --no-deps --requirement $(1) --target $(site) \
		--python 3.13 --python-version 3.13 --python-platform $(platform) --only-binary :all:
	rm -rf $(site)/bin $(site)/.lock
	find $(site) \( -name __pycache__ -o -name tests -o -name include \) -type d -prune -exec rm -rf {} +
	find $(site) -type f \( -name '*.pyi' -o -name '*.pxd' -o -name '*.pyx' -o -name '*.[acfh]' -o -name RECORD \) -delete
endef

# $(call copy_sources,NAMES,TARGET): folders beside the makefile, without what Python left in them.
define copy_sources
	mkdir -p $(2)
	cp -R $(addprefix $(here),$(1)) $(2)
	find $(2) -name __pycache__ -type d -prune -exec rm -rf {} +
endef

# $(call compile_sources,PREFIX): what is not compiled here would be compiled again in every cold start, because Lambda
# mounts code read-only. One job: how far names are shared within a worker decides bytes of the .pyc.
define compile_sources
	PYTHONHASHSEED=0 uv run --quiet --no-project --python 3.13 python -m compileall -q -j 1 \
		--invalidation-mode unchecked-hash -s $(ARTIFACTS_DIR) -p $(1) $(ARTIFACTS_DIR)
endef
