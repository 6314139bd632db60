"""The rules of 14.10 that a file can break, and the findings that report where it breaks them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum


class Severity(StrEnum):
    """The importance of a finding."""

    ERROR = "error"
    """The file breaks a rule of the standard."""

    NOTE = "note"
    """The standard advises against it, or it limits the use of the file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place in a file that breaks one rule."""

    rule: str
    """The stable identifier of the rule, such as ``14.10.4.3-r-parallel``."""

    clause: str
    """The clause of ISO 32000-1 that the rule comes from, such as ``14.10.4.3``."""

    where: str
    """The object, in words, such as ``page set 3f2a... (12 0 R)``."""

    message: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """Return the finding as one line; the identifier of the rule begins with the clause."""
        return f"{self.severity}  {self.rule}  {self.where}: {self.message}"


_NOTE = Severity.NOTE


class Rule(Enum):
    """Every rule that is checked: its identifier, which begins with the clause, and its text."""

    INFO = "14.10.2-info", "SpiderInfo is a dictionary"
    INFO_V = "14.10.2-v", "V is there and is a number"
    INFO_V_VALUE = "14.10.2-v-value", "V is 1.0"
    INFO_C = "14.10.2-c", "C is an array"
    INFO_C_INDIRECT = "14.10.2-c-indirect", "the elements of C are indirect references"
    INFO_C_COMMAND = "14.10.2-c-command", "the elements of C are command dictionaries"

    TREE_NODE = "7.9.6-node", "a node of a name tree is a dictionary with one parent"
    TREE_ENTRIES = "7.9.6-entries", "a node of a name tree has either Kids or Names"
    TREE_EMPTY = "7.9.6-empty", "a name tree is not empty", _NOTE
    TREE_KIDS = "7.9.6-kids", "Kids is an array of one or more nodes"
    TREE_KIDS_INDIRECT = "7.9.6-kids-indirect", "the elements of Kids are indirect references"
    TREE_NAMES = "7.9.6-names", "Names is an array of pairs of a string and a value"
    TREE_ORDER = "7.9.6-order", "keys are sorted by their bytes"
    TREE_DUPLICATE = "7.9.6-duplicate", "no key occurs twice"
    TREE_ROOT_LIMITS = "7.9.6-root-limits", "the root of a name tree has no Limits"
    TREE_LIMITS = "7.9.6-limits", "Limits are the least and the greatest key below the node"
    TREE_VALUE_INDIRECT = "7.9.6-value-indirect", "content sets in a name tree are indirect references", _NOTE

    VALUE = "14.10.3.1-value", "a value in URLS or IDS is a content set or an array of content sets"
    VALUE_ONCE = "14.10.3.1-value-once", "a key leads to a content set only once"
    IN_URLS = "14.10.3.1-in-urls", "a content set in IDS is also in URLS", _NOTE
    URLS_COMPLETE = "14.10.3.1-urls-complete", "a content set in URLS is found by each of its URLs"
    URLS_OWN = "14.10.3.1-urls-own", "URLS leads to a content set only by its own URLs"
    URLS_CANONICAL = "14.10.3.2-canonical", "a key of URLS is a URL in canonical form, by steps a to g"
    URLS_FORM = "14.10.3.2-form", "a key of URLS has the form in which wcspider looks it up", _NOTE
    IDS_OWN = "14.10.3.3-ids-own", "IDS leads to a content set by its ID, and by no other key"
    MD5 = "14.10.3.3-md5", "digital and text identifiers are MD5 digests, 16 bytes"
    FIELD_NAME = "14.10.3.4-unique", "no two fields have the same fully qualified name"
    FIELD_IDENTIFIER = "14.10.3.4-identifier", "the name of a field is its original name and the ID of its page set"
    FIELD_PERIOD = "14.10.3.4-period", "the partial name of a field has no period"
    DESTINATION = "12.3.2.3-page", "a named destination leads to a page of the document", _NOTE
    WIDGET_PAGE = "12.5.6.19-page", "a widget annotation is listed by one page, which is its P", _NOTE

    SET_TYPE = "14.10.4.1-type", "Type, if present, is SpiderContentSet"
    SET_S = "14.10.4.1-s", "S is SPS or SIS"
    SET_ID = "14.10.4.1-id", "ID is there and is a byte string"
    SET_O = "14.10.4.1-o", "O is there and is an array"
    SET_O_EMPTY = "14.10.4.1-o-empty", "a content set has an object", _NOTE
    SET_O_INDIRECT = "14.10.4.1-o-indirect", "the elements of O are indirect references"
    SET_SI = "14.10.4.1-si", "SI is there and is a source information dictionary or an array of them"
    SET_CT = "14.10.4.1-ct", "CT is a content type by RFC 2045, in ASCII"
    SET_TS = "14.10.4.1-ts", "TS is a date"

    PAGE = "14.10.4.2-page", "the objects of a page set are pages of the document"
    PAGE_ORDER = "14.10.4.2-order", "the pages of a page set are in the order of the page tree", _NOTE
    PAGE_ONCE = "14.10.4.2-once", "a page belongs to one page set, once"
    SET_T = "14.10.4.2-t", "T is a text string"
    SET_TID = "14.10.4.2-tid", "TID is a byte string"
    PAGE_SET_ONLY = "14.10.4.2-only", "only page sets have T and TID"

    IMAGE = "14.10.4.3-image", "the objects of an image set are image XObjects"
    IMAGE_ONCE = "14.10.4.3-once", "an image XObject belongs to one image set, once"
    IMAGE_SET_ONLY = "14.10.4.3-only", "only image sets have R"
    R = "14.10.4.3-r", "R is there and is an integer or an array of integers"
    R_INTEGER = "14.10.4.3-r-integer", "R is an integer if there is one XObject"
    R_PARALLEL = "14.10.4.3-r-parallel", "R is an array parallel to O if there are several XObjects"
    R_COUNT = "14.10.4.3-r-count", "a reference count is the number of pages that refer to the XObject"

    SI_AU = "14.10.5.1-au", "AU is there and is an ASCII string or a URL alias dictionary"
    SI_DISTINCT = "14.10.5.1-distinct", "there is one source information dictionary for each distinct URL"
    SI_TS = "14.10.5.1-ts", "TS is a date"
    SI_E = "14.10.5.1-e", "E is a date"
    SI_S = "14.10.5.1-s", "S is 0, 1 or 2"
    SI_S_PAGE_SET = "14.10.5.1-s-page-set", "only the sources of page sets have S"
    SI_C = "14.10.5.1-c", "C is a command dictionary"
    SI_C_INDIRECT = "14.10.5.1-c-indirect", "C is an indirect reference"
    SI_C_PAGE_SET = "14.10.5.1-c-page-set", "only the sources of page sets have C"
    SI_C_LISTED = "14.10.5.1-c-listed", "the command of a source is in the C array of SpiderInfo"
    ALIAS_DIRECT = "14.10.5.1-alias-direct", "a URL alias dictionary is a direct object", _NOTE
    ALIAS_U = "14.10.5.2-u", "U is there and is an ASCII string"
    ALIAS_C = "14.10.5.2-c", "C is an array of one or more chains"
    ALIAS_CHAIN = "14.10.5.2-chain", "a chain is an array of one or more ASCII strings"

    COMMAND_URL = "14.10.5.3-url", "URL is there and is an ASCII string"
    COMMAND_L = "14.10.5.3-l", "L is an integer, 1 or more"
    COMMAND_F = "14.10.5.3-f", "F is an integer"
    COMMAND_F_BITS = "14.10.5.3-f-bits", "only bits 1 to 3 of F are set"
    COMMAND_P = "14.10.5.3-p", "P is a string or a stream"
    COMMAND_CT = "14.10.5.3-ct", "CT is a content type by RFC 2045, in ASCII"
    COMMAND_CT_POST = "14.10.5.3-ct-post", "only POST requests, which have P, have CT"
    COMMAND_H = "14.10.5.3-h", "H is a string"
    COMMAND_H_LINES = "14.10.5.3-h-lines", "H consists of header lines that end with CR LF"
    COMMAND_H_SECRET = "14.10.5.3-h-secret", "H holds no header that carries credentials", _NOTE
    COMMAND_S = "14.10.5.3-s", "S is a command settings dictionary"
    SETTINGS_G = "14.10.5.4-g", "G is a dictionary"
    SETTINGS_C = "14.10.5.4-c", "C is a dictionary"
    SETTINGS_C_NAME = "14.10.5.4-c-name", "the keys of C are company:product:version:contentType"
    SETTINGS_C_VALUE = "14.10.5.4-c-value", "the values of C are dictionaries"
    SETTINGS_CLOSED = "14.10.5.4-closed", "no other object refers to an object in a command settings dictionary"

    IN_IDS = "14.10.6-in-ids", "a content set is in IDS, so that the ID of its objects finds it"
    MEMBER_ID = "14.10.6-id", "the ID of a page or image XObject is the ID of its content set"
    MEMBER_ID_ABSENT = "14.10.6-id-absent", "a page or image XObject in a content set has an ID", _NOTE
    MEMBER_PARENT = "14.10.6-parent", "a page or image XObject that has an ID belongs to a content set"
    MEMBER_POINTER = "14.10.6-pointer", "a page or image XObject does not point to its content set"
    PAGE_PZ = "14.10.6-pz", "PZ is a number greater than 0"

    STRUCTURE = "7.5-structure", "the file can be read without repairs"
    HEADER = "7.5.2-header", "the file begins with its header"
    EARLIER_STATES = "7.5.6-earlier", "the bytes of earlier states are those that the runs recorded", _NOTE

    PAGES_KIDS = "7.7.3.2-kids", "Kids of a page tree node is an array of pages and nodes with one parent each"
    PAGES_COUNT = "7.7.3.2-count", "Count of a page tree node is the number of pages below it"
    PAGES_PARENT = "7.7.3.2-parent", "Parent of a page or page tree node is the node that lists it"

    def __init__(self, id: str, text: str, severity: Severity = Severity.ERROR) -> None:
        self.id = id
        self.text = text
        self.severity = severity

    @property
    def clause(self) -> str:
        """The clause of ISO 32000-1 that the rule comes from."""
        return self.id.partition("-")[0]

    def broken(self, where: str, message: str) -> Finding:
        """Return the finding that ``where`` breaks this rule."""
        return Finding(self.id, self.clause, where, message, self.severity)
