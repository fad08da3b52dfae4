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
## The site rejected the name or the label of a result, which is kept: set `player`, or give flush() a label.
signal refused(error: Dictionary)
## A kept result was rejected, and is dropped.
signal rejected(error: Dictionary)

const FILE := "user://laurel.json"
const MAX_KEPT := 50
const MAX_BYTES := 1_000_000
const KEPT_SECONDS := 7 * 86_400
const LONGEST_PAUSE := 300.0
const WAIT := 5
## What of a result the site rejected: another one may be given, so the result is kept.
const REPLACEABLE := {
	"invalid-player": "player", "name-taken": "player", "player-needed": "player", "erased": "player",
	"invalid-label": "label", "too-many-labels": "label",
}
const MONTHS := ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

## The name that the board shows; what waits because its own name was rejected is sent under it.
var player := ""
var _site := ""
var _benchmark := ""
var _state := {"key": "", "player": "", "outbox": []}
var _failures := 0
var _is_sending := false
var _held := {}
## The site's time, and the device's clock and ticks then; 0 before the first answer.
var _clock := {"date": 0.0, "wall": 0.0, "ticks": 0}
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
		"url": _url("/submissions", {}), "query": query, "headers": headers, "body": JSON.stringify(result),
	}
	_keep(entry)
	while _is_sending:
		await get_tree().process_frame
	return await _drain(entry)


## Send what waits, the oldest first; with this label what was rejected for its own.
func flush(label := "") -> void:
	if not _is_sending and not (_state.outbox as Array).is_empty():
		await _drain({}, label)


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
func _drain(own: Dictionary, label := "") -> Dictionary:
	_is_sending = true
	var outbox: Array = _state.outbox
	var entries := outbox.duplicate()
	if not own.is_empty() and not entries.has(own):
		entries.append(own)
	var became := {"status": "waiting"}
	var pause := -1.0
	for entry: Dictionary in entries:
		var is_own := entry == own
		var id: String = entry.headers["Idempotency-Key"]
		if not is_own and label == "" and _held.get(id) == player:
			continue
		if await _is_too_old(entry):
			outbox.erase(entry)
			_save()
			rejected.emit({"status": 0, "detail": "the result is too old to be sent"})
			continue
		if not entry.has("tried"):
			entry.tried = _now()
			_save()
		var answer := await _send_entry(entry, label)
		var error: Dictionary = answer.get("error", {})
		var status := int(error.get("status", 200))
		if error.is_empty():
			outbox.erase(entry)
			_state.player = answer.get("player", _state.player)
			sent.emit(answer)
			if is_own:
				became = answer
		elif status == 429 or status >= 500 or not error.has("type"):  # Without one it is of a proxy or a hotel's network.
			pause = maxf(pause, float(error.get("retry_after", 0)))
			if is_own and not outbox.has(entry):
				became = answer
			if status == 0 or status == 429:
				break  # What fails for lack of a network or of quota fails for the next one, too.
		elif _kind(error) in REPLACEABLE:
			_held[id] = player
			refused.emit(error)
			if is_own:
				became = {"status": "waiting", "error": error} if outbox.has(entry) else answer
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


## Send a result, under another name or label once the site has rejected its own.
func _send_entry(entry: Dictionary, label: String) -> Dictionary:
	var query: Dictionary = entry.get("query", {})
	while true:
		var answer := await _send(_join(entry.url, query), entry.headers, HTTPClient.METHOD_POST, entry.body)
		var field: String = REPLACEABLE.get(_kind(answer.get("error", {})), "")
		if field != "" and query.get("player", "") == "":
			field = "player"
		var other: String = {"player": player, "label": label}.get(field, "")
		if other == "" or other == query.get(field, ""):
			return answer
		query[field] = other
		if field == "player":
			entry.headers["Laurel-Player-Key"] = player_key()
		_save()
	return {}


func _kind(error: Dictionary) -> String:
	return str(error.get("type", "")).trim_prefix("urn:laurel:problem:")


## Return whether the site may have stored a result and forgotten its key: it would count twice. Only the site's clock is
## right: that of a cabinet may begin in 1970.
func _is_too_old(entry: Dictionary) -> bool:
	var tried := float(entry.get("tried", 0))
	if tried == 0 or (_clock.date != 0 and _now() - tried <= KEPT_SECONDS):
		return false
	_clock.date = 0.0  # The device's clock may have been set since.
	await _read("/rows", {"limit": 1}, {"Cache-Control": "no-cache"})
	return _now() - tried > KEPT_SECONDS


## The time by the site's clock; 0 before its first answer.
func _now() -> float:
	if _clock.date == 0:
		return 0
	# A device's clock may be set back, and its ticks may sleep with it.
	var passed := maxf(Time.get_unix_time_from_system() - _clock.wall, (Time.get_ticks_msec() - _clock.ticks) / 1000.0)
	return _clock.date + passed


## Learn the time from a header such as "Date: Sat, 28 Nov 2026 17:00:00 GMT".
func _learn_time(line: String) -> void:
	var parts := line.get_slice(", ", 1).split(" ")
	if parts.size() == 5 and parts[1] in MONTHS:
		var date := "%s-%02d-%sT%s" % [parts[2], MONTHS.find(parts[1]) + 1, parts[0], parts[3]]
		_clock = {
			"date": float(Time.get_unix_time_from_datetime_string(date)),
			"wall": Time.get_unix_time_from_system(), "ticks": Time.get_ticks_msec(),
		}


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
	# What a cache kept has the time of then.
	if method == HTTPClient.METHOD_POST or headers.has("Cache-Control"):
		for line: String in response[2]:
			if line.to_lower().begins_with("date:"):
				_learn_time(line)
	var status: int = response[1] if response[0] == HTTPRequest.RESULT_SUCCESS else 0
	var content: Variant = JSON.parse_string((response[3] as PackedByteArray).get_string_from_utf8())
	var answer: Dictionary = content if content is Dictionary else {}
	if status >= 200 and status < 300:
		return answer if content is Dictionary else {"error": {"status": 0, "detail": "the site cannot be reached"}}
	var error := {"status": status, "detail": answer.get("detail", "the site answered with status %d" % status)}
	error.merge(answer)
	for line: String in response[2]:
		if line.to_lower().begins_with("retry-after:"):
			error["retry_after"] = line.get_slice(":", 1).strip_edges().to_float()
	return {"error": error}


func _url(path: String, query: Dictionary) -> String:
	return _join("%s/api/benchmarks/%s%s" % [_site, _benchmark, path], query)


func _join(url: String, query: Dictionary) -> String:
	var pairs := PackedStringArray()
	for key: String in query:
		if str(query[key]) != "":
			pairs.append("%s=%s" % [key, str(query[key]).uri_encode()])
	return url if pairs.is_empty() else "%s?%s" % [url, "&".join(pairs)]


func _make_digits() -> String:
	return Crypto.new().generate_random_bytes(16).hex_encode()


func _load() -> void:
	var content: Variant = JSON.parse_string(FileAccess.get_file_as_string(FILE)) if FileAccess.file_exists(FILE) else null
	if content is Dictionary:
		_state.merge(content, true)


func _save() -> void:
	# Whole, or not at all: a cabinet is switched off at any moment.
	var file := FileAccess.open(FILE + ".new", FileAccess.WRITE)
	if file:
		file.store_string(JSON.stringify(_state))
		var is_written := file.get_error() == OK
		file.close()
		if is_written:
			DirAccess.rename_absolute(FILE + ".new", FILE)
