"""The names of the doubts."""

from enum import StrEnum


class Doubt(StrEnum):
    """Why a suggestion needs a person."""

    TEXT_HARD_TO_READ = "text_hard_to_read"
    NO_EVIDENCE = "no_evidence"
    EVIDENCE_NOT_IN_TEXT = "evidence_not_in_text"
    DATE_UNREADABLE = "date_unreadable"
    DATE_NOT_IN_TEXT = "date_not_in_text"
    DATE_NOT_IN_EVIDENCE = "date_not_in_evidence"
    DATE_OF_SOMETHING_ELSE = "date_of_something_else"
    OTHER_DATE_IS_ITS_OWN = "other_date_is_its_own"
    DATE_IN_FUTURE = "date_in_future"
    DATE_TOO_EARLY = "date_too_early"
    DATE_LONG_AGO = "date_long_ago"
    NAME_NOT_IN_EVIDENCE = "name_not_in_evidence"
    NAME_TOO_LONG = "name_too_long"
    NAME_OF_MIXED_LETTERS = "name_of_mixed_letters"
    NAME_LOOKS_MISREAD = "name_looks_misread"
    CORRESPONDENT_IS_OWNER = "correspondent_is_owner"
    CORRESPONDENT_IS_RECIPIENT = "correspondent_is_recipient"
    TITLE_TOO_LONG = "title_too_long"
    TITLE_IS_FILE_NAME = "title_is_file_name"
    TITLE_NOT_IN_TEXT = "title_not_in_text"
    TITLE_IN_OTHER_LANGUAGE = "title_in_other_language"
    VALUE_UNREADABLE = "value_unreadable"
    VALUE_NOT_IN_EVIDENCE = "value_not_in_evidence"
    NUMBER_TWO_WAYS = "number_two_ways"
    CURRENCY_NOT_IN_TEXT = "currency_not_in_text"
    UNSURE = "unsure"
