"""The addresses of all gateways."""

from weft.gateways.agui import endpoints as agui

ROUTERS = (agui.router,)
