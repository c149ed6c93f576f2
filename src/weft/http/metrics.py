"""Figures for Prometheus about the requests that came in."""

from prometheus_client import CollectorRegistry, Counter, Histogram

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class HttpMetrics:
    """Counts and times requests by route, never by address: an id must not become a label."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("method", "route", "status")
        self._requests = Counter("weft_http_requests", "Requests answered", labels, registry=registry)
        self._seconds = Histogram(
            "weft_http_seconds",
            "Seconds until the answer was complete",
            labels[:2],
            buckets=_BUCKETS,
            registry=registry,
        )

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note one answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)
