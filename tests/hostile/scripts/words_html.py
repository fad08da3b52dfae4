# invalid: <script>
print("<script>alert(1)</script>")
raise SystemExit(2)
