"""What a bot does, with discord.py: its HTTP half alone, without the web socket."""

import asyncio
import io
import json
import sys

import discord
from discord.http import Route

BASE, TOKEN, CHANNEL = sys.argv[1:]
Route.BASE = f"{BASE}/api/v10"


async def main():
    client = discord.Client(intents=discord.Intents.none())
    await client._async_setup_hook()
    me = await client.http.static_login(TOKEN)
    client._connection.user = discord.ClientUser(state=client._connection, data=me)
    channel = client.get_partial_messageable(int(CHANNEL))
    message = await channel.send("hello")
    edited = await message.edit(content="hello, world")
    reply = await message.reply("yes?")
    upload = await channel.send("a cat", file=discord.File(io.BytesIO(b"meow"), "cat.txt"))
    gone = await channel.send("gone")
    await gone.delete()
    try:
        await channel.send("x" * 2001)
        refused = None
    except discord.HTTPException as error:
        refused = [error.status, error.code]
    await client.close()
    print(
        json.dumps(
            {
                "edited": edited.content,
                "answered": reply.reference.message_id == message.id,
                "file": upload.attachments[0].filename,
                "refused": refused,
            }
        )
    )


asyncio.run(main())
