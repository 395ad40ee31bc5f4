"""How people and programs come in: a door turns a request into the call of a use case, and its answer
into a form of its own. It owns no rule: what the answer says, as text or as JSON, is made by the use
case, so that every door gives the same.

`cli/` is the command line, and hooks enter through its `clients/hook.py`; `mcp/` serves tools to
agents; `langchain.py` is for agents of LangChain and LangGraph. Python needs none: `director_ctx`
itself has the public names. A further door is a package beside `cli/`. Begin with `cli/main`.
"""
