"""What the infrastructure needs at every start: the catalogue once, and what the environment says."""

from weft.infra.catalogue import bring_in
from weft.infra.environment import EnvironmentVendor, Registration
from weft.infra.keys import KeyStore
from weft.infra.repository import InfraRepository
from weft.infra.writing import Writer
from weft.kit.actor import Actor, Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Database
from weft.kit.log import get_logger

log = get_logger(__name__)
_AT_START = Actor("start", frozenset(), operator_reach=Reach.INSTALLATION)


async def prepare_infra(database: Database, keyring: Keyring, vendor: EnvironmentVendor | None) -> None:
    """Bring in the catalogue if it never was, and the environment's vendor if there is one; doing it again is nothing.

    What a newer Weft's catalogue has changed waits for `weft infra catalogue update`.
    """
    async with database.system() as tx:
        seeded = await InfraRepository(tx.connection).is_catalogued()
    if seeded and vendor is None:
        return
    async with database.transaction(_AT_START, Reach.INSTALLATION) as tx:
        rows = InfraRepository(tx.connection)
        await rows.one_at_a_time()
        writer = await Writer(tx).look()
        if not await rows.is_catalogued():
            changes = await bring_in(writer)
            log.info("catalogue_brought_in", items=len(changes))
        if vendor is not None:
            await Registration(writer, KeyStore(tx, keyring), vendor).run()
