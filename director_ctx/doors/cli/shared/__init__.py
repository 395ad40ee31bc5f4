"""What commands share: options, where results go, how things are said and asked. Begin with
`options`.
"""
