# What a bot does, once, with python-telegram-bot 13 against the base URL in argv; what it was told goes out as JSON.
import io
import json
import sys

from telegram import Bot, InputMediaPhoto
from telegram.error import BadRequest, TimedOut

root, token, nobody, slow = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
bot = Bot(token, base_url=root + "/bot", base_file_url=root + "/file/bot")
told = {}

first = bot.send_message(31, "hello")
told["edited"] = bot.edit_message_text("hello, world", 31, first.message_id).text
second = bot.send_message(31, "yes?", reply_to_message_id=first.message_id)
told["deleted"] = bot.delete_message(31, second.message_id)
told["photo"] = bot.send_photo(32, io.BytesIO(b"a" * 70000)).photo[0].file_size
media = [InputMediaPhoto(io.BytesIO(bytes([i]) * size), caption=f"photo {i}") for i, size in enumerate([900, 30])]
told["album"] = [message.photo[0].file_size for message in bot.send_media_group(33, media)]
file = bot.get_file(bot.send_photo(32, io.BytesIO(b"b" * 10)).photo[0].file_id)
told["file"] = bytes(file.download_as_bytearray()).decode()[:14]
try:
    bot.send_message(nobody, "anyone?")
except BadRequest as error:
    told["refused"] = error.message
# Its own 5 s are shorter than this chat must wait; asked again with more, it gets the first one's message.
try:
    bot.send_message(slow, "patience")
except TimedOut as error:
    told["timed_out"] = error.message
told["again"] = bot.send_message(slow, "patience", timeout=30).text
print(json.dumps(told))
