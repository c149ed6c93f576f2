"""The addresses of all gateways."""

from weft.gateways.agui import copilotkit
from weft.gateways.agui import endpoints as agui
from weft.gateways.chat import endpoints as chat
from weft.gateways.openai import endpoints as openai

ROUTERS = (agui.router, copilotkit.router, chat.router, openai.router)
