"use strict";
// The stream of events, one for all pages of a browser that are looked at. HTTP/1.1 allows six connections to
// a host: six pages with a stream each would leave none by which any page could be loaded.
// Pages start this file as a shared worker; where a browser has none, each page listens by itself.

const TOPICS = ["jobs", "progress", "changes", "scans", "holds", "reset", "beat"];
const AGAIN_MS = 500; // after an answer that is no stream, and each time twice as long
const SELDOM_MS = 60000;

// Tell what the stream at an address says, and "cut" when it is cut off. Returns what ends it.
function listen(address, tell) {
  let source;
  let timer;
  let wait = AGAIN_MS;
  const open = () => {
    source = new EventSource(address);
    for (const topic of TOPICS) {
      source.addEventListener(topic, ({ data }) => { wait = AGAIN_MS; tell(topic, JSON.parse(data)); });
    }
    source.onerror = () => {
      tell("cut", {});
      // After anything else the browser comes back by itself, and goes on where it was.
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, wait);
      wait = Math.min(2 * wait, SELDOM_MS);
    };
  };
  open();
  return () => { clearTimeout(timer); source.close(); };
}

// --- As a shared worker: its name is the address, and a page says whether it is looked at. ---
if ("SharedWorkerGlobalScope" in self) {
  const FRESH_MS = 15000; // the stream beats every ten seconds
  const pages = new Set();
  let end = null;
  let beat = null;
  let beatAt = 0;

  const tell = (topic, data) => {
    if (topic === "beat") [beat, beatAt] = [data, Date.now()];
    if (topic === "cut") beatAt = 0;
    for (const page of pages) page.postMessage([topic, data]);
  };
  const come = (page) => {
    pages.add(page);
    end ??= listen(self.name, tell);
    // Who comes later need not wait for the next beat.
    if (Date.now() - beatAt < FRESH_MS) page.postMessage(["beat", beat]);
  };
  const leave = (page) => {
    pages.delete(page);
    if (pages.size || !end) return;
    end();
    [end, beatAt] = [null, 0];
  };
  self.onconnect = ({ ports: [page] }) => {
    page.onmessage = ({ data: isLookedAt }) => (isLookedAt ? come : leave)(page);
  };
}
