"""What must not be shown: by the name that it has, or by its own shape. Begin with `shapes`.

This is a net for what was not meant to be shown. It knows names and formats; a secret that has
neither is hidden by whoever says that it is one.
"""

from director_ctx.base.secrets.find_shapes import HIDDEN
from director_ctx.base.secrets.names import hides_name
from director_ctx.base.secrets.running_text import hides_value, redact

__all__ = ["HIDDEN", "hides_name", "hides_value", "redact"]
