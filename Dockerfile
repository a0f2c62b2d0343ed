# docker build -t endophora . && docker run --rm -v "$PWD:/data" endophora evaluate … --output result
# The package with its own libraries and the two that languages need; models of translation want more:
# docker build --build-arg EXTRAS=ja,zh,formats,neural (torch then makes the image larger than 1 GB).
FROM python:3.13-slim AS build
ARG EXTRAS=formats,zh
COPY . /source
RUN python -m venv /opt/endophora \
    && /opt/endophora/bin/pip install --no-cache-dir "/source[${EXTRAS}]" \
    && find /opt/endophora -name tests -path '*site-packages*' -type d -prune -exec rm -rf {} + \
    && /opt/endophora/bin/pip uninstall --yes pip

FROM python:3.13-slim
COPY --from=build /opt/endophora /opt/endophora
ENV PATH=/opt/endophora/bin:$PATH ENDOPHORA_CACHE=/tmp/endophora PYTHONDONTWRITEBYTECODE=1
RUN useradd --create-home --uid 10001 endophora && endophora demo --output /tmp/demo && rm -rf /tmp/demo /tmp/endophora
USER 10001
WORKDIR /data
ENTRYPOINT ["endophora"]
CMD ["--help"]
