extends Node
## Sends results to a Laurel site and reads its boards; keeps in user:// what could not be sent.
##
## [codeblock]
## Laurel.setup("https://laurel.example", "coin-run", "Ada")
## var answer: Dictionary = await Laurel.submit(result, "level-1")
## [/codeblock]
## An answer is what the site's API answers, {"status": "waiting"} for a result that is kept, or
## {"error": {"status", "detail"}}.

## A kept result was sent.
signal sent(answer: Dictionary)
## A kept result was rejected, and is dropped.
signal rejected(error: Dictionary)

const FILE := "user://laurel.json"
const MAX_KEPT := 50
const MAX_BYTES := 1_000_000
const KEPT_SECONDS := 7 * 86_400
const LONGEST_PAUSE := 300.0
const WAIT := 5

var player := ""
var _site := ""
var _benchmark := ""
var _state := {"key": "", "player": "", "outbox": []}
var _failures := 0
var _is_sending := false
var _timer := Timer.new()


func _ready() -> void:
	_timer.one_shot = true
	_timer.timeout.connect(flush)
	add_child(_timer)


## Name the site, the benchmark and the player; send what an earlier start of the game kept.
func setup(site: String, benchmark: String, player_name := "") -> void:
	_site = site.trim_suffix("/")
	_benchmark = benchmark
	player = player_name
	_load()
	flush()


## Send a result, a Dictionary or an Array.
func submit(result: Variant, part := "", label := "", run_ticket := "") -> Dictionary:
	var headers := {"Content-Type": "application/json", "Idempotency-Key": _make_digits()}
	if player != "":
		headers["Laurel-Player-Key"] = player_key()
	if run_ticket != "":
		headers["Laurel-Ticket"] = run_ticket
	var query := {"player": player, "part": part, "label": label}
	var entry := {
		"url": _url("/submissions", query), "headers": headers,
		"body": JSON.stringify(result), "at": Time.get_unix_time_from_system(),
	}
	while _is_sending:
		await get_tree().process_frame
	_keep(entry)
	return await _drain(entry)


## Send what waits, the oldest first.
func flush() -> void:
	if not _is_sending and not (_state.outbox as Array).is_empty():
		await _drain({})


## Read rows of a board.
func board(id := "main", limit := 10, from := 1) -> Dictionary:
	return await _read("/rows", {"board": id, "limit": limit, "from": from})


## Read the player's row between its neighbours; {} without a row.
func around(id := "main", above := 3, below := 3) -> Dictionary:
	if _state.player == "":
		return {}
	var row: Dictionary = await _read("/players/%s/around" % _state.player, {"board": id, "above": above, "below": below})
	return {} if row.has("rank") and row.rank == null else row


## Request a run ticket, before a run of a benchmark that asks for it.
func ticket(part := "") -> Dictionary:
	var headers := {"Laurel-Player-Key": player_key()} if player != "" else {}
	return await _read("/runs", {"part": part, "player": player}, headers, HTTPClient.METHOD_POST)


## Return the secret that makes the player's name this device's own.
func player_key() -> String:
	if _state.key == "":
		_state.key = "player_" + _make_digits()
		_save()
	return _state.key


func _keep(entry: Dictionary) -> void:
	if (entry.body as String).length() > MAX_BYTES:
		return  # It is sent once, and not kept.
	var outbox: Array = _state.outbox
	outbox.append(entry)
	while outbox.size() > MAX_KEPT or JSON.stringify(outbox).length() > MAX_BYTES * 2:
		outbox.pop_front()
		rejected.emit({"status": 0, "detail": "too many results wait to be sent"})
	_save()


## Send what waits and `own`; return what became of `own`.
func _drain(own: Dictionary) -> Dictionary:
	_is_sending = true
	var outbox: Array = _state.outbox
	var entries := outbox.duplicate()
	if not own.is_empty() and not entries.has(own):
		entries.append(own)
	var became := {"status": "waiting"}
	var pause := -1.0
	for entry: Dictionary in entries:
		var is_own := entry == own
		# Later the site may no longer know the key of a result that it has stored, and would count it twice.
		if not is_own and Time.get_unix_time_from_system() - float(entry.at) > KEPT_SECONDS:
			outbox.erase(entry)
			rejected.emit({"status": 0, "detail": "the result is too old to be sent"})
			continue
		var answer := await _send(entry.url, entry.headers, HTTPClient.METHOD_POST, entry.body)
		var error: Dictionary = answer.get("error", {})
		var status := int(error.get("status", 200))
		if error.is_empty():
			outbox.erase(entry)
			_state.player = answer.get("player", _state.player)
			sent.emit(answer)
			if is_own:
				became = answer
		elif status == 0 or status == 429 or status >= 500:
			pause = maxf(pause, float(error.get("retry_after", 0)))
			if is_own and not outbox.has(entry):
				became = answer
			if status < 500:
				break  # What fails for lack of a network or of quota fails for the next one, too.
		else:
			outbox.erase(entry)
			if is_own:
				became = answer
			else:
				rejected.emit(error)
		_save()
	_is_sending = false
	_failures = 0 if pause < 0 else _failures + 1
	if pause >= 0:
		var backoff := minf(LONGEST_PAUSE, pow(2, _failures))
		_timer.start(maxf(pause, backoff) + randf() * backoff)
	return became


func _read(path: String, query: Dictionary, headers := {}, method := HTTPClient.METHOD_GET) -> Dictionary:
	return await _send(_url(path, query), headers, method, "")


func _send(url: String, headers: Dictionary, method: HTTPClient.Method, body: String) -> Dictionary:
	var request := HTTPRequest.new()
	request.timeout = 30 + WAIT
	add_child(request)
	var lines := PackedStringArray(["Prefer: wait=%d" % WAIT])
	for header: String in headers:
		lines.append("%s: %s" % [header, headers[header]])
	if request.request(url, lines, method, body) != OK:
		request.queue_free()
		return {"error": {"status": 0, "detail": "the site cannot be reached"}}
	var response: Array = await request.request_completed
	request.queue_free()
	var status: int = response[1] if response[0] == HTTPRequest.RESULT_SUCCESS else 0
	var content: Variant = JSON.parse_string((response[3] as PackedByteArray).get_string_from_utf8())
	var answer: Dictionary = content if content is Dictionary else {}
	if status >= 200 and status < 300:
		return answer
	var error := {"status": status, "detail": answer.get("detail", "the site answered with status %d" % status)}
	error.merge(answer)
	for line: String in response[2]:
		if line.to_lower().begins_with("retry-after:"):
			error["retry_after"] = line.get_slice(":", 1).strip_edges().to_float()
	return {"error": error}


func _url(path: String, query: Dictionary) -> String:
	var pairs := PackedStringArray()
	for key: String in query:
		if str(query[key]) != "":
			pairs.append("%s=%s" % [key, str(query[key]).uri_encode()])
	return "%s/api/benchmarks/%s%s?%s" % [_site, _benchmark, path, "&".join(pairs)]


func _make_digits() -> String:
	return Crypto.new().generate_random_bytes(16).hex_encode()


func _load() -> void:
	var content: Variant = JSON.parse_string(FileAccess.get_file_as_string(FILE)) if FileAccess.file_exists(FILE) else null
	if content is Dictionary:
		_state.merge(content, true)


func _save() -> void:
	var file := FileAccess.open(FILE, FileAccess.WRITE)
	if file:
		file.store_string(JSON.stringify(_state))
