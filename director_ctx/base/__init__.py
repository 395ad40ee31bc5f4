"""What everything stands on: failures, frozen values, JSON without `json`, text, hashes. Begin with
`errors`.
"""
