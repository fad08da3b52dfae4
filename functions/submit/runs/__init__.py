"""Run tickets: signed permission for one play, which the server issues and a result needs.

`tickets` writes and reads them, without a clock or a store; `service` issues, checks and spends them.
"""
