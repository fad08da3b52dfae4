# scored {"score": 1} twice
def expect_refusal(call, *arguments):
    try:
        call(*arguments)
    except OSError:
        return
    seen.append((call.__name__, os.path.basename(arguments[0])))


for path in (__file__, sys.argv[1], os.path.join(os.path.dirname(__file__), "truth.json"), "/runner/__main__.py", "/runner/run.py"):
    expect_refusal(open, path, "w")
    expect_refusal(open, path, "a")
    expect_refusal(os.unlink, path)
    expect_refusal(os.truncate, path, 0)
    expect_refusal(os.rename, path, "/tmp/moved")
    expect_refusal(os.replace, "/dev/null", path)
    expect_refusal(os.symlink, "/tmp/other", path + "2")
expect_refusal(os.rename, os.path.dirname(__file__), os.path.dirname(os.path.dirname(__file__)) + "/moved")
expect_refusal(os.mkdir, os.path.join(os.path.dirname(__file__), "new"))
