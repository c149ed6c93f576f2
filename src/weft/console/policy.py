"""What a browser may do with the console: run what came with it, call this server, and nothing else (SURF-4)."""

from types import MappingProxyType

_SOURCES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",  # pictures that a user is about to send
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
HEADERS = MappingProxyType(
    {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _SOURCES.items()),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
)
FOR_EVER = "public, max-age=31536000, immutable"  # a file whose name holds its hash never changes
ASK_AGAIN = "no-cache"
