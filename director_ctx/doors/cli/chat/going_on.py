"""The command that goes on with a chat."""

from __future__ import annotations

import os

from director_ctx.chat.providers.keys import ADDRESSES, address_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.conversation import DirectorConversation


def going_on(conversation: DirectorConversation) -> str:
    """With its address, where the environment names another one."""
    command = f"dctx chat --id {conversation.id[:8]}"
    provider = conversation.provider
    variable = ADDRESSES[provider.name]
    is_elsewhere = bool(os.environ.get(variable, "").strip())
    if is_elsewhere and address_for(provider.name, None) != provider.base_url:
        command += f" --base-url {provider.place}"
    return command
