// Telling others how it went: by what the device has for sharing, or by the clipboard. The
// text stands on the page, so it can be copied by hand as well.

function offerToShare(part, say) {
  const [text, button] = [part.querySelector("#share"), part.querySelector("#share-button")];
  if (!button) return;
  const byDevice = navigator.share && matchMedia("(pointer: coarse)").matches;
  if (!byDevice && !navigator.clipboard) return;
  button.textContent = byDevice ? "Share" : "Copy";
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      if (byDevice) await navigator.share({ text: text.value });
      else await navigator.clipboard.writeText(text.value);
      if (!byDevice) {
        button.textContent = "Copied";
        say("Copied");
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      text.select();
      say("It could not be shared. The text is selected, so that you can copy it.");
    }
  });
}
