# `make release && docker build --tag laurel .`; docs/server.md says how to run it.
FROM python:3.13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
COPY release/*.whl /tmp/
RUN pip install --no-cache-dir /tmp/*.whl && rm /tmp/*.whl
RUN useradd --create-home --home-dir /data laurel
USER laurel
WORKDIR /data
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["laurel", "local"]
