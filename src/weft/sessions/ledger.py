"""Every call made for a turn is booked on exactly one message, with the figures of the call itself."""

from uuid import UUID

from weft.calls.service import CallService
from weft.kit.db import Transaction
from weft.sessions.errors import CurrencyMismatchError
from weft.sessions.schemas import Booked


async def booked(tx: Transaction, call_id: UUID | None, currency: str) -> Booked:
    """What a message books of the call that made it; nothing, where none did."""
    if call_id is None:
        return Booked()
    booking = await CallService(tx).booking(call_id)
    if booking.currency != currency:
        raise CurrencyMismatchError(
            f"call {call_id} was made in {booking.currency}, and the session is billed in {currency}", field="currency"
        )
    return Booked(call_id, booking.input_tokens, booking.cached_input_tokens, booking.output_tokens, booking.cost)
