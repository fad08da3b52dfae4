extends Node
## Plays as a game would, step by step: each step notes what it got, then waits until the test lets it go on.

const SITE := "https://laurel.example"

var _noted := {}


func _ready() -> void:
	Laurel.sent.connect(func(answer: Dictionary) -> void: _note("sent", answer))
	Laurel.rejected.connect(func(error: Dictionary) -> void: _note("rejected", error))
	Laurel.refused.connect(func(error: Dictionary) -> void: _note("named", error))
	Laurel.setup(SITE, "godot-game", "Ada")
	await _reach("started")

	Laurel.setup(SITE, "coin-run", "Heron\u202e")
	var run := {"level": "level-1", "frames": [[0, 0, 0], [1, 4, 0]]}
	_note("kept", await Laurel.submit(run, "level-1"))
	Laurel.player = "Ida"
	await Laurel.flush()
	Laurel.setup(SITE, "godot-game", "Ada")

	var ticket: Dictionary = await Laurel.ticket("one")
	_note("ticket", ticket)
	_note("answer", await Laurel.submit({"coins": 2, "time": 1.5}, "one", "", ticket.get("ticket", "")))
	_note("board", await Laurel.board("one", 5))
	_note("around", await Laurel.around("one", 1, 1))
	_note("refused", await Laurel.submit({"coins": 2, "time": 1.5}, "one"))
	var tickets := []
	for _run in 3:
		tickets.append((await Laurel.ticket("one")).get("ticket", ""))
	await _reach("played")

	_note("waiting", await Laurel.submit({"coins": 3, "time": 1.0}, "one", "", tickets[0]))
	_note("offline", await Laurel.board("one", 3))
	await _reach("offline")

	_note("waiting", await Laurel.submit({"coins": 4, "time": 1.0}, "one", "", tickets[1]))
	await _reach("portal")

	Laurel.flush()
	Laurel.submit({"coins": 5, "time": 1.0}, "one", "", tickets[2])
	await _reach("sending")


func _note(what: String, value: Variant) -> void:
	var noted: Array = _noted.get_or_add(what, [])
	noted.append(value)
	JavaScriptBridge.eval("globalThis.noted = %s" % JSON.stringify(_noted))


func _reach(step: String) -> void:
	JavaScriptBridge.eval("globalThis.reached = '%s'" % step)
	while JavaScriptBridge.eval("globalThis.allowed") != step:
		await get_tree().process_frame
