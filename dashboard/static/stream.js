"use strict";
// The stream of events, one for all pages of a browser that are looked at. HTTP/1.1 allows six connections to
// a host: six pages with a stream each would leave none by which any page could be loaded.
// Pages start this file as a shared worker; where a browser has none, each page listens by itself.

const TOPICS = ["jobs", "progress", "changes", "scans", "holds", "notifications", "reset", "beat"];
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
  const SETTLED_MS = 200; // one page goes, the next one comes
  const FRESH_MS = 15000; // the stream beats every ten seconds
  const pages = new Set();
  let listening = 0; // for how many pages
  let end = () => {};
  let timer;
  let beat;
  let beatAt = 0;

  const tell = (topic, data) => {
    if (topic === "beat") [beat, beatAt] = [data, Date.now()];
    if (topic === "cut" || topic === "anew") beatAt = 0;
    for (const page of pages) page.postMessage([topic, data]);
  };
  // How often each may look depends on how many there are: the stream says so, and must know.
  const settle = () => {
    if (listening === pages.size) return;
    listening = pages.size;
    end();
    tell("anew", {});
    end = listening ? listen(`${self.name}&pages=${listening}`, tell) : () => {};
  };
  self.onconnect = ({ ports: [page] }) => {
    page.onmessage = ({ data: isLookedAt }) => {
      if (isLookedAt) pages.add(page); else pages.delete(page);
      // Who comes in the place of another need not wait for the next beat.
      if (isLookedAt && Date.now() - beatAt < FRESH_MS) page.postMessage(["beat", beat]);
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLED_MS);
    };
  };
}
