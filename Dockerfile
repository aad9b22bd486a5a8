FROM python:3.13-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /opt/paperclerk
ENV PATH="/opt/paperclerk/bin:$PATH"
# The lock alone first: as long as it stays the same, this layer does too.
COPY requirements.lock ./
RUN pip install --no-deps --require-hashes -r requirements.lock
COPY . .
# Compiled here, because the container's file system is read-only and would compile at every start.
RUN pip install --no-deps --no-build-isolation . \
    && python -m compileall -q /opt/paperclerk

FROM python:3.13-slim
LABEL org.opencontainers.image.title="Paperclerk" \
      org.opencontainers.image.description="Files documents in Paperless-ngx with a language model, and can take everything back." \
      org.opencontainers.image.licenses="MIT"
ENV PATH="/opt/paperclerk/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PAPERCLERK_CONFIG=/config \
    PAPERCLERK_DATA=/data \
    PAPERCLERK_WEB__HOST=0.0.0.0
COPY --from=build /opt/paperclerk /opt/paperclerk
RUN mkdir /config && mkdir -m 0700 /data && chown 1000:1000 /config /data
USER 1000:1000
VOLUME ["/config", "/data"]
EXPOSE 8484
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 CMD ["paperclerk", "healthcheck"]
ENTRYPOINT ["paperclerk"]
CMD ["run"]
