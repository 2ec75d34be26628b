# Reads a channel with Telethon, as anyone would, and prints what it found as JSON.
# Arguments: form of the frames, port, file of the server's key, phone, code, password, name of the channel, a mark (pts).

import asyncio
import json
import sys

from telethon import TelegramClient, errors
from telethon.crypto import rsa
from telethon.network import connection
from telethon.sessions import MemorySession
from telethon.tl.functions.channels import GetMessagesRequest
from telethon.tl.functions.updates import GetChannelDifferenceRequest
from telethon.tl.types import ChannelMessagesFilterEmpty, MessageEmpty

frames, port, key, phone, code, password, name, pts = sys.argv[1:]


async def difference(client, channel, since, limit):
    request = GetChannelDifferenceRequest(
        channel=channel, filter=ChannelMessagesFilterEmpty(), pts=since, limit=limit
    )
    return await client(request)


async def main():
    with open(key) as file:
        rsa.add_key(file.read(), old=False)
    session = MemorySession()
    session.set_dc(2, '127.0.0.1', int(port))
    form = getattr(connection, f'ConnectionTcp{frames}')
    client = TelegramClient(session, 4711, '0123456789abcdef', connection=form)
    client.flood_sleep_threshold = 0
    await client.start(phone=lambda: phone, code_callback=lambda: code, password=lambda: password)
    me = await client.get_me()
    channel = await client.get_input_entity(name)
    found = [m async for m in client.iter_messages(channel, reverse=True, limit=None)]
    posts = [m for m in found if m.action is None]
    told = await difference(client, channel, int(pts), 100)
    too_long = await difference(client, channel, 2, 100)
    by_id = await client(GetMessagesRequest(channel=channel, id=[2, 3, 5]))
    try:
        await client.get_entity('frozen_name')
        wait = None
    except errors.FloodWaitError as error:
        wait = error.seconds
    print(json.dumps({
        'phone': me.phone,
        'posts': [[m.id, m.message] for m in posts],
        'album': len({m.grouped_id for m in posts if m.grouped_id}),
        'media': [type(m.media).__name__ for m in posts if m.media],
        'edited': [m.id for m in posts if m.edit_date],
        'difference': {
            'new': [m.message for m in told.new_messages],
            'edited': [u.message.message for u in told.other_updates if hasattr(u, 'message')],
            'deleted': [i for u in told.other_updates for i in getattr(u, 'messages', [])],
            'final': told.final,
        },
        'too_long': type(too_long).__name__,
        'by_id': [None if isinstance(m, MessageEmpty) else m.message for m in by_id.messages],
        'wait': wait,
    }))
    await client.disconnect()


asyncio.run(main())
