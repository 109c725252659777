// Spares the loading of whole pages, runs by Ctrl-Enter, and cancels. The pages work without it, too.
"use strict";

const form = document.getElementById("query");
if (form) {
  const box = document.getElementById("sql");
  const state = document.getElementById("state");
  const cancel = document.getElementById("cancel");
  const result = document.getElementById("result");
  let running = null; // what runs: its name, and what gives up waiting

  const name = () => Array.from(crypto.getRandomValues(new Uint8Array(8)), b => b.toString(16).padStart(2, "0")).join("");

  // The statement that is selected, else all of the box.
  const statement = () => {
    const selected = box.value.slice(box.selectionStart, box.selectionEnd);
    return selected.trim() === "" ? { text: box.value, at: 0 } : { text: selected, at: box.selectionStart };
  };

  const show = html => {
    result.innerHTML = html;
    result.querySelectorAll("form.again").forEach(f => f.addEventListener("submit", e => {
      e.preventDefault();
      run(new FormData(f), "run", 0);
    }));
  };

  const run = async (data, what, at) => {
    if (running) return;
    const mine = running = { id: name(), stop: new AbortController() };
    data.set("do", what);
    data.set("id", mine.id);
    const begun = performance.now();
    const tick = () => { state.textContent = `runs for ${((performance.now() - begun) / 1000).toFixed(1)} s`; };
    const clock = setInterval(tick, 100);
    const late = setTimeout(() => { cancel.hidden = false; tick(); }, 150);
    result.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch("/query", {
        method: "POST", body: new URLSearchParams(data), headers: { "Nearlyfree-Part": "result" }, signal: mine.stop.signal,
      });
      const text = await answer.text();
      if ((answer.headers.get("Content-Type") || "").startsWith("text/html") && answer.ok) {
        show(text);
      } else {
        tell(answer.ok ? text : `${answer.status}: ${new DOMParser().parseFromString(text, "text/html").body.textContent.trim()}`);
      }
      state.textContent = "done";
      mark(at);
    } catch (e) {
      tell(mine.stop.signal.aborted ? "ended: nobody waits for the answer any more" : "the server does not answer: has it ended?");
      state.textContent = "";
    } finally {
      clearInterval(clock);
      clearTimeout(late);
      cancel.hidden = true;
      result.removeAttribute("aria-busy");
      running = null;
    }
  };

  // Says what no page says.
  const tell = text => {
    const p = document.createElement("p");
    p.className = "problem";
    p.setAttribute("role", "alert");
    p.textContent = text;
    result.replaceChildren(p);
  };

  // Puts the cursor where the error is.
  const mark = at => {
    const problem = result.querySelector("[data-offset]");
    if (!problem) return;
    const place = Math.min(at + Number(problem.dataset.offset), box.value.length);
    box.focus();
    box.setSelectionRange(place, place); // what is selected would be all that is run the next time
  };

  form.addEventListener("submit", e => {
    e.preventDefault();
    const { text, at } = statement();
    const data = new FormData(form);
    data.set("sql", text);
    run(data, (e.submitter && e.submitter.value) || "", at);
  });

  box.addEventListener("keydown", e => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      form.requestSubmit();
    }
  });

  document.addEventListener("keydown", e => {
    if (e.key === "Escape" && running) cancel.click();
  });

  cancel.addEventListener("click", () => {
    const mine = running;
    if (!mine) return;
    state.textContent = "ending …";
    fetch("/cancel", { method: "POST", body: new URLSearchParams({ id: mine.id }) }).catch(() => {});
    setTimeout(() => { if (running === mine) mine.stop.abort(); }, 3000);
  });

  result.querySelectorAll("form.again").forEach(f => f.addEventListener("submit", e => {
    e.preventDefault();
    run(new FormData(f), "run", 0);
  }));
}
