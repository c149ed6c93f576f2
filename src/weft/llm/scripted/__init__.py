"""A model vendor for tests, served over real HTTP on loopback, that says and breaks exactly what it is told.

with ScriptedVendor(Answer("Hello."), Answer("", fault=Fault("disconnect", after=0))) as vendor:
    ...  # call vendor.base_url, or vendor.target()
    assert vendor.log[0].json["messages"][0]["content"] == "Hi"
"""

from weft.llm.loopback import ONLY_LOOPBACK
from weft.llm.scripted.answer import Answer, Fault, Framing, Refusal
from weft.llm.scripted.counting import Counts, count_tokens
from weft.llm.scripted.journal import Exchange
from weft.llm.scripted.vendor import ScriptedVendor

__all__ = [
    "ONLY_LOOPBACK",
    "Answer",
    "Counts",
    "Exchange",
    "Fault",
    "Framing",
    "Refusal",
    "ScriptedVendor",
    "count_tokens",
]
