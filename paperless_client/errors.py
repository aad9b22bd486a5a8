"""Errors of a Paperless, named by what the caller can do about them.

PaperlessError
├── OutageSuspected              ask again without a document (`probe`): if that fails too, hold
│   ├── PaperlessUnavailable     try later; `retry_after` says when, if the server did
│   │   ├── OutcomeUnknown       a write may have taken effect: read before you write again
│   │   └── CertificateUntrusted have the operator name the CA
│   ├── NotPaperless             have the operator check the address, or the proxy in front
│   ├── TokenRefused             have the operator renew the token
│   └── VersionUnsupported       have the operator change the version of Paperless
├── LoginRefused                 ask the person for the user name and the password again
│   ├── MfaCodeRequired          ask for the code of the second factor
│   └── MfaCodeRefused           ask for a newer code
├── PermissionMissing            have the operator grant `permission`, or share the document
├── DocumentGone                 forget the document
├── AnswerTooLarge               request fewer documents; a single text cannot be split
├── PaperlessRefused             do not send it again; `details` say what was wrong
└── ListChanged                  read the list again from its first page

Errors outside OutageSuspected concern one request and are never a reason to hold an instance.
"""

from collections.abc import Mapping
from datetime import timedelta

from core.messages import Message, fixed, message


class PaperlessError(Exception):
    """Paperless did not do what was asked.

    The text is for the operator; `code` is for programs, `user_message` for the person whose
    document it is, and `hint` says what can be done.
    """

    code = "paperless_error"
    user_message = "Paperless did not carry out the request."
    hint = ""

    def __init__(
        self,
        action: Message,
        answer: Message,
        *,
        document: int | None = None,
        status: int | None = None,
    ) -> None:
        self.action = action
        self.answer = answer
        self.document = document
        self.status = status
        """The HTTP status; None if no answer came."""
        super().__init__(str(self.message))

    @property
    def message(self) -> Message:
        """The text for the operator."""
        return message("could not {action}: {answer}", action=self.action, answer=self.answer)

    @property
    def reason(self) -> Message:
        """The message without the action."""
        return self.answer


class OutageSuspected(PaperlessError):
    """The whole instance may be unavailable; a probe without a document shows it."""

    retry_after: timedelta | None = None
    """When to retry, if the server said so."""


class PaperlessUnavailable(OutageSuspected):
    """Paperless is unreachable or busy, or failed on this request."""

    code = "paperless_unavailable"
    user_message = "Paperless is currently unreachable."
    hint = "Check that Paperless is running and that its address and port are correct."

    def __init__(
        self,
        action: Message,
        answer: Message,
        *,
        document: int | None = None,
        status: int | None = None,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(action, answer, document=document, status=status)
        self.retry_after = retry_after
        """How long the server asked us to wait; None if it did not."""


class OutcomeUnknown(PaperlessUnavailable):
    """A write was sent without a clear response: it may have taken effect, even in part."""

    code = "paperless_outcome_unknown"
    user_message = "Paperless failed while the document was being changed."
    hint = "Check the log of Paperless. Before the next attempt, Paperclerk reads what was written."

    @property
    def may_still_happen(self) -> bool:
        """Whether Paperless may carry out the write later, because it has not answered itself.

        A status above 500 comes from a proxy that lost Paperless or stopped waiting for it.
        """
        return self.status is None or self.status > 500


class CertificateUntrusted(PaperlessUnavailable):
    """The server's TLS certificate cannot be verified, so nothing was sent."""

    code = "paperless_certificate_untrusted"
    user_message = "The connection to Paperless cannot be trusted."
    hint = "If Paperless uses a private CA, set ca_file to its certificate."


class NotPaperless(OutageSuspected):
    """The server at the address is not the API of Paperless."""

    code = "not_paperless"
    user_message = "Something other than Paperless responds at its address."
    hint = (
        "Use the address of the start page, with http:// or https:// and without /api. "
        "A proxy or login page in front of Paperless must let API requests through. "
        "PAPERLESS_ALLOWED_HOSTS must contain the host name used here."
    )


class TokenRefused(OutageSuspected):
    """Paperless does not know the token, or its user is not active."""

    code = "paperless_token_refused"
    user_message = "Paperless rejected the API token."
    hint = "Create a token in Paperless under My Profile and use it instead."

    @property
    def message(self) -> Message:
        return message("the token for Paperless was rejected: {answer}", answer=self.answer)

    @property
    def reason(self) -> Message:
        return self.message


class VersionUnsupported(OutageSuspected):
    """Paperless supports none of our API versions."""

    code = "paperless_version_unsupported"
    user_message = "This version of Paperless is not supported."
    hint = "Use Paperless-ngx 2.20 or 3.x."


class LoginRefused(PaperlessError):
    """Paperless issues no token for this user name and password."""

    code = "paperless_login_refused"
    user_message = "Paperless rejected the user name or the password."
    hint = "Enter them as on the login page of Paperless."

    def __init__(self, answer: Message, *, status: int) -> None:
        super().__init__(message("log in to Paperless"), answer, status=status)

    @property
    def message(self) -> Message:
        # The answer is JSON, and says no more.
        return fixed(self.user_message)

    @property
    def reason(self) -> Message:
        return self.message


class MfaCodeRequired(LoginRefused):
    """The user has a second factor, and no code was sent."""

    code = "paperless_mfa_code_required"
    user_message = "Paperless asks for the code of the second factor."
    hint = "Enter the code that your authenticator app shows."


class MfaCodeRefused(LoginRefused):
    """The code of the second factor is wrong or has expired."""

    code = "paperless_mfa_code_refused"
    user_message = "Paperless rejected the code of the second factor."
    hint = "Wait for the next code of your authenticator app and enter that one."


class PermissionMissing(PaperlessError):
    """The token is valid, but its user may not do this."""

    code = "paperless_permission_missing"
    user_message = "Paperless does not allow this for the token's user."
    hint = "Give the token's user the permission in Paperless under Users & Groups."
    hint_for_documents = (
        "Give the token's user the permission in Paperless under Users & Groups; "
        "a document that belongs to someone else must be shared with it for editing."
    )
    """The hint if a document was to be changed."""

    def __init__(
        self,
        action: Message,
        answer: Message,
        *,
        permission: str,
        document: int | None = None,
        changes_documents: bool = False,
    ) -> None:
        needed = message("{answer}; requires {permission}", answer=answer, permission=permission)
        super().__init__(action, needed, document=document, status=403)
        if changes_documents:
            self.hint = self.hint_for_documents
        self.permission = permission
        """Codename of the required permission, as in `change_document`."""


class DocumentGone(PaperlessError):
    """The document is deleted, or hidden from the token's user: Paperless answers the same."""

    code = "document_gone"
    user_message = "The document is no longer in Paperless, or the token's user cannot see it."
    hint = "If it still exists, share it with the token's user."

    def __init__(self, action: Message, answer: Message, *, document: int, status: int) -> None:
        super().__init__(action, answer, document=document, status=status)

    @property
    def message(self) -> Message:
        return message(
            "Paperless has no document {document} that the token's user may see",
            document=str(self.document),
        )

    @property
    def reason(self) -> Message:
        return self.message


class AnswerTooLarge(PaperlessError):
    """The response exceeds the size limit."""

    code = "paperless_answer_too_large"
    user_message = "The response from Paperless is too large."
    hint = "Shorten the document's content in Paperless, or ignore the document."


class PaperlessRefused(PaperlessError):
    """The request is invalid; it would be refused again."""

    code = "paperless_refused"
    user_message = "Paperless did not accept the values for this document."
    hint = "See the details: values may be too long, or refer to something that no longer exists."

    def __init__(
        self,
        action: Message,
        answer: Message,
        *,
        status: int,
        details: Mapping[str, object],
        document: int | None = None,
    ) -> None:
        super().__init__(action, answer, document=document, status=status)
        self.details = details
        """Errors by field. The texts are translated: never interpret them."""


class ListChanged(PaperlessError):
    """A list changed while its pages were read, so entries may be missing."""

    code = "paperless_list_changed"
    user_message = "Paperless was busy while its lists were read."
    hint = "It will be read again automatically."
