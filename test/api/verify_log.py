"""Verifies a log of pages with pymerkle, which shares no code with the gateway. Reads the log as JSON from the standard input, and prints what holds."""

import base64
import json
import sys

from pymerkle import InmemoryTree, InvalidProof
from pymerkle.proof import InclusionProof

EVENTS_AT, ROOT_AT, RECORD_BYTES = 58, 62, 169


def decode(text):
    return base64.b64decode(text, validate=True)


def tree_of(entries):
    tree = InmemoryTree(algorithm='sha256')
    for entry in entries:
        tree.append_entry(entry)
    return tree


def is_included(tree, entry, index, size, hashes, root):
    """Takes the order of the hashes from pymerkle's own proof, and the hashes from the gateway."""
    rule = tree.prove_inclusion(index + 1, size).rule
    path = [tree.hash_buff(entry), *hashes]
    try:
        InclusionProof('sha256', True, size, index + 1, rule, path).verify(path[0], root, index=index + 1, size=size)
    except InvalidProof:
        return False
    return True


def subproof(entries, first, is_whole=True):
    """The consistency proof of RFC 6962, 2.1.2, written as it is defined there."""
    size = len(entries)
    if first == size:
        return [] if is_whole else [tree_of(entries).get_root()]
    middle = 1 << ((size - 1).bit_length() - 1)
    left, right = entries[:middle], entries[middle:]
    if first <= middle:
        return [*subproof(left, first, is_whole), tree_of(right).get_root()]
    return [*subproof(right, first - middle, False), tree_of(left).get_root()]


def altered(hashes):
    for at, digest in enumerate(hashes):
        yield [*hashes[:at], bytes([digest[0] ^ 1]) + digest[1:], *hashes[at + 1 :]]


log = json.load(sys.stdin)
records = [decode(record) for record in log['records']]
assert all(len(record) == RECORD_BYTES for record in records), 'records have 169 bytes'
tree = tree_of(records)
assert all(tree.get_root(size) == decode(root) for size, root in log['roots']), 'a root differs'
for proof in log['inclusions']:
    index, size, root = proof['leafIndex'], proof['treeSize'], decode(proof['root'])
    hashes = [decode(each) for each in proof['hashes']]
    record = decode(proof['record'])
    assert is_included(tree, record, index, size, hashes, root), 'a record is not in the tree'
    assert not any(is_included(tree, record, index, size, other, root) for other in altered(hashes)), 'an altered proof holds'
    events = [decode(event) for event in proof['events']]
    page, events_root = tree_of(events), record[ROOT_AT : ROOT_AT + 32]
    assert int.from_bytes(record[EVENTS_AT : EVENTS_AT + 4], 'big') == len(events), 'a record has another number of events'
    assert page.get_root() == events_root, 'a record has other events'
    place = proof['event']['index']
    assert is_included(page, events[place], place, len(events), [decode(each) for each in proof['event']['hashes']], events_root), 'an event is not in its record'
for first, second, hashes in log['consistency']:
    assert subproof(records[:second], first) == [decode(each) for each in hashes], 'a consistency proof differs'
print(json.dumps({'records': len(records), 'inclusions': len(log['inclusions']), 'consistency': len(log['consistency'])}))
