@tool
extends EditorPlugin
## Makes the node Laurel global, as the autoload `Laurel`.


func _enable_plugin() -> void:
	add_autoload_singleton("Laurel", "res://addons/laurel/laurel.gd")


func _disable_plugin() -> void:
	remove_autoload_singleton("Laurel")
