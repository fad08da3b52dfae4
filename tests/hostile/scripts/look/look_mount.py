# scored {"score": 1}
expect_refusal("mount", libc_mount := lambda: call(165, 40, b"none", b"/tmp", b"tmpfs", 0, 0))
expect_refusal("umount", call, 166, 39, b"/tmp", 0)
expect_refusal("chroot", os.chroot, "/tmp")
expect_refusal("fsopen", call, 430, 430, b"tmpfs", 0)
expect_refusal("a device", os.mknod, "/tmp/device", 0o60600, os.makedev(254, 0))
