"""The addresses of all gateways."""

from weft.gateways.agui import endpoints as agui
from weft.gateways.chat import endpoints as chat

ROUTERS = (agui.router, chat.router)
