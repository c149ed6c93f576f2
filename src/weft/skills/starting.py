"""What skills need at every start: that what was accepted is in its place, though a process died on the way."""

from weft.kit.actor import Actor, Reach
from weft.kit.db import Database
from weft.kit.errors import WeftError
from weft.kit.log import get_logger
from weft.skills.library import SkillLibrary
from weft.skills.publishing import Publishing
from weft.skills.versions import VersionService

log = get_logger(__name__)
_AT_START = Actor("start", frozenset(), operator_reach=Reach.INSTALLATION)


async def finish_publishing(database: Database, library: SkillLibrary) -> None:
    """Put in place what was decided and is not there; a folder that cannot be written stops no start."""
    async with database.transaction(_AT_START, Reach.INSTALLATION) as tx:
        waiting = await VersionService(tx, library.roots).waiting()
    for target in waiting:
        try:
            await Publishing(database, library, _AT_START).finish(target)
        except WeftError as error:
            log.warning("skill_not_in_place", skill=target.name, business_id=target.business_id, reason=error.detail)
        else:
            log.info("skill_put_in_place", skill=target.name, business_id=target.business_id)
