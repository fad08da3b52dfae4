# scored {"score": 1} twice
# Modules that Python would import by itself at its next start, wherever it might look.
import site

seen += [name for name in ("sitecustomize", "usercustomize", "canary") if name in sys.modules]
folders = [*sys.path, os.getcwd(), "/tmp", os.path.dirname(__file__), site.getusersitepackages()]
for folder in folders:
    for name, text in (
        ("sitecustomize.py", "import sys; sys.modules['canary'] = sys"),
        ("usercustomize.py", "import sys; sys.modules['canary'] = sys"),
        ("canary.pth", "import sys; sys.modules['canary'] = sys"),
    ):
        try:
            os.makedirs(folder, exist_ok=True)
            open(os.path.join(folder, name), "w").write(text)
        except OSError:
            pass
