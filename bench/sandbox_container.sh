#!/usr/bin/env bash
# The single-use container that bench/script_runs.py compares with: Debian's Python 3.13, numpy, scipy and pandas.
#   sandbox_container.sh build     once, some minutes: needs root, podman, crun, debootstrap and uv
#   sandbox_container.sh run ARGS  podman run ARGS, with the image's name to be given as $IMAGE
set -euo pipefail
STATE=${STATE:-${TMPDIR:-/tmp}/laurel-bench-container}
export IMAGE=localhost/laurel-bench
mkdir -p "$STATE"/{tmp,storage,run}
# In a machine without CAP_SYS_RESOURCE podman's default limits cannot be set.
printf '%s\n' '[containers]' 'default_ulimits=["nofile=4096:4096","nproc=4096:4096"]' \
  '[engine]' 'cgroup_manager="cgroupfs"' 'events_logger="file"' 'runtime="crun"' > "$STATE/containers.conf"
export CONTAINERS_CONF=$STATE/containers.conf
podman=(podman --root "$STATE/storage" --runroot "$STATE/run" --tmpdir "$STATE/tmp")
case ${1:-} in
  build)
    mirror=${MIRROR:-$(awk '/^URIs:/{print $2; exit} /^deb /{print $2; exit}' /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null)}
    [[ -e $STATE/rootfs/.done ]] || {
      rm -rf "$STATE/rootfs"
      debootstrap --variant=minbase --include=python3-minimal,libpython3-stdlib trixie "$STATE/rootfs" "$mirror"
      uv pip install --quiet --target "$STATE/rootfs/usr/lib/python3/dist-packages" --python-version 3.13 \
        --python-platform "$(uname -m)-manylinux_2_34" --only-binary :all: 'numpy>=2.5,<3' 'scipy>=1.18,<2' 'pandas>=3,<4'
      chroot "$STATE/rootfs" python3 -m compileall -q /usr/lib/python3/dist-packages /usr/lib/python3.13 || true
      touch "$STATE/rootfs/.done"
    }
    tar -C "$STATE/rootfs" --exclude=./dev -c . | "${podman[@]}" import - "$IMAGE" ;;
  run)
    # Where both versions of control groups are mounted, crun wants only the first.
    exec unshare -m sh -c 'mountpoint -q /sys/fs/cgroup/unified && umount /sys/fs/cgroup/unified; exec "$@"' sh \
      "${podman[@]}" run "${@:2}" ;;
  *) sed -n 2,4p "$0"; exit 2 ;;
esac
