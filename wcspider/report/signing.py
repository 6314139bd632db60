"""The signatures of a file, next to the runs whose results they cover."""

from __future__ import annotations

from collections.abc import Sequence

from wcspider.archive.query.history import Revision
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.file.signatures import Signature, read_signatures
from wcspider.report.model import SignatureRow


def signature_rows(file: RevisionFile, revisions: Sequence[Revision]) -> list[SignatureRow]:
    """Return the signatures and time stamps of a file, each with the revision that it covers."""
    return [_row(signature, revisions) for signature in read_signatures(file)]


def _row(signature: Signature, revisions: Sequence[Revision]) -> SignatureRow:
    covered = next((revision for revision in revisions if signature.end and revision.length >= signature.end), None)
    return SignatureRow(
        kind="time stamp" if signature.is_time_stamp else "signature",
        signer=signature.signer,
        reason=signature.reason,
        moment=signature.moment,
        revision=None if covered is None else covered.number,
        added=0 if covered is None else covered.length - signature.end,
    )
