# evaluator_error: ran out of time
import threading
import time

threading.Thread(target=time.sleep, args=(3600,)).start()
print('{"score": 1}')
