<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>AddDialog</name>
    <message>
        <source>Add a model</source>
        <translation>Modell hinzufügen</translation>
    </message>
    <message>
        <source>Decide for me</source>
        <translation>Automatisch wählen</translation>
    </message>
    <message>
        <source>Transcript with names</source>
        <translation>Mitschrift mit Namen</translation>
    </message>
    <message>
        <source>Turns separated by end-of-text</source>
        <translation>Beiträge durch Textende getrennt</translation>
    </message>
    <message>
        <source>The tokenizer&apos;s template</source>
        <translation>Vorlage des Tokenizers</translation>
    </message>
    <message>
        <source>Hub id or folder</source>
        <translation>Hub-Kennung oder Ordner</translation>
    </message>
    <message>
        <source>Draft (may be empty)</source>
        <translation>Entwurf (kann leer bleiben)</translation>
    </message>
    <message>
        <source>Name (may be empty)</source>
        <translation>Name (kann leer bleiben)</translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation>Chatformat</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Any GPT-2 on huggingface.co, or a folder with one. A folder stays where it is.</source>
        <translation>Jedes GPT-2 auf huggingface.co oder ein Ordner damit. Ein Ordner bleibt, wo er ist.</translation>
    </message>
    <message>
        <source>Folder …</source>
        <translation>Ordner …</translation>
    </message>
    <message>
        <source>Choose a folder: {label}</source>
        <translation>Ordner wählen: {label}</translation>
    </message>
    <message>
        <source>Folder with a GPT-2 model</source>
        <translation>Ordner mit einem GPT-2-Modell</translation>
    </message>
</context>
<context>
    <name>AnswerLine</name>
    <message>
        <source>{speed:.1f} tokens/s</source>
        <translation>{speed:.1f} Token/s</translation>
    </message>
    <message>
        <source>first after {seconds:.2f} s</source>
        <translation>erstes nach {seconds:.2f} s</translation>
    </message>
    <message>
        <source>accepted {accepted} of {proposed}</source>
        <translation>{accepted} von {proposed} angenommen</translation>
    </message>
    <message>
        <source>seed {seed}</source>
        <translation>Startwert {seed}</translation>
    </message>
    <message>
        <source>interrupted; continue or answer again</source>
        <translation>unterbrochen; fortsetzen oder neu antworten</translation>
    </message>
</context>
<context>
    <name>Answers</name>
    <message>
        <source>The answer could not be saved: {0}</source>
        <translation>Die Antwort konnte nicht gespeichert werden: {0}</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>The conversation could not be read: {0}</source>
        <translation>Die Unterhaltung konnte nicht gelesen werden: {0}</translation>
    </message>
    <message>
        <source>With this seed or temperature, the same settings give the same answer again.</source>
        <translation>Mit diesem Startwert oder dieser Temperatur ergibt sich wieder dieselbe Antwort.</translation>
    </message>
    <message>
        <source>Message deleted</source>
        <translation>Nachricht gelöscht</translation>
    </message>
    <message>
        <source>This could not be saved: {0}</source>
        <translation>Das konnte nicht gespeichert werden: {0}</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>Show conversations</source>
        <translation>Unterhaltungen zeigen</translation>
    </message>
    <message>
        <source>Colour tokens by origin</source>
        <translation>Token nach Herkunft färben</translation>
    </message>
    <message>
        <source>Show the live panel</source>
        <translation>Messwerte zeigen</translation>
    </message>
    <message>
        <source>Race plain against the chosen mode</source>
        <translation>Einfach gegen gewählten Modus antreten lassen</translation>
    </message>
    <message>
        <source>Write already: it is sent when the model is ready</source>
        <translation>Schreiben Sie schon: gesendet wird, sobald das Modell bereit ist</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>Nachricht schreiben</translation>
    </message>
    <message>
        <source>Loading {percent} %</source>
        <translation>Lädt {percent} %</translation>
    </message>
    <message>
        <source>Model failed</source>
        <translation>Modell fehlgeschlagen</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy code</source>
        <translation>Code kopieren</translation>
    </message>
    <message>
        <source>code</source>
        <translation>Code</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Editing an earlier message</source>
        <translation>Frühere Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Cancel editing (Esc)</source>
        <translation>Bearbeiten abbrechen (Esc)</translation>
    </message>
</context>
<context>
    <name>ComposerText</name>
    <message>
        <source>Message</source>
        <translation>Nachricht</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>Tokens that the model would read for this message, of those that fit into its context.</source>
        <translation>Token, die das Modell für diese Nachricht lesen würde, von denen, die in seinen Kontext passen.</translation>
    </message>
    <message numerus="yes">
        <source>%n old turn(s) do not fit and will be left out.</source>
        <translation>
            <numerusform>%n alter Beitrag passt nicht und wird weggelassen.</numerusform>
            <numerusform>%n alte Beiträge passen nicht und werden weggelassen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConversationListModel</name>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
</context>
<context>
    <name>ConversationsController</name>
    <message>
        <source>Conversation deleted</source>
        <translation>Unterhaltung gelöscht</translation>
    </message>
    <message>
        <source>Saved as {0}</source>
        <translation>Gespeichert als {0}</translation>
    </message>
    <message>
        <source>This could not be done: {0}</source>
        <translation>Das ging nicht: {0}</translation>
    </message>
</context>
<context>
    <name>Core</name>
    <message>
        <source>Conversations cannot be kept: {0}. This session stays in memory; export what you need.</source>
        <translation>Unterhaltungen können nicht aufbewahrt werden: {0}. Diese Sitzung bleibt im Arbeitsspeicher; exportieren Sie, was Sie brauchen.</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>Open logs</source>
        <translation>Protokolle öffnen</translation>
    </message>
    <message>
        <source>Chat on your own computer with staged speculative decoding (Spector &amp; Ré 2023): the same answers as plain decoding, faster. Nothing leaves this computer.</source>
        <translation>Chat auf dem eigenen Rechner mit gestuftem spekulativem Dekodieren (Spector &amp; Ré 2023): dieselben Antworten wie beim einfachen Dekodieren, nur schneller. Nichts verlässt diesen Rechner.</translation>
    </message>
    <message>
        <source>The application goes on, and your conversations are safe. The report below holds nothing of what was said; please send it to the authors.</source>
        <translation>Die Anwendung läuft weiter, Ihre Unterhaltungen sind sicher. Der Bericht unten enthält nichts vom Gesagten; bitte schicken Sie ihn den Autoren.</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ist schiefgegangen</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>Unterhaltungen importieren</translation>
    </message>
    <message>
        <source>Conversations (*.json *.md)</source>
        <translation>Unterhaltungen (*.json *.md)</translation>
    </message>
    <message>
        <source>Export conversation</source>
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>Unterhaltung</translation>
    </message>
</context>
<context>
    <name>DraftCard</name>
    <message>
        <source>No draft model is loaded: only plain and n-gram decoding have an effect.</source>
        <translation>Kein Entwurfsmodell geladen: nur einfaches und N-Gramm-Dekodieren wirken.</translation>
    </message>
    <message>
        <source>The draft model is being loaded.</source>
        <translation>Das Entwurfsmodell wird geladen.</translation>
    </message>
    <message>
        <source>This draft does not fit the model: {reason}</source>
        <translation>Dieser Entwurf passt nicht zum Modell: {reason}</translation>
    </message>
    <message>
        <source> It has {millions:.0f} million parameters.</source>
        <translation> Es hat {millions:.0f} Millionen Parameter.</translation>
    </message>
    <message>
        <source>The draft model fits and is in use.</source>
        <translation>Das Entwurfsmodell passt und wird benutzt.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Tokens per second</source>
        <translation>Token pro Sekunde</translation>
    </message>
    <message>
        <source>New tokens divided by seconds of decoding. Reading the prompt is not counted.</source>
        <translation>Neue Token geteilt durch Sekunden des Dekodierens. Das Lesen der Eingabe zählt nicht.</translation>
    </message>
    <message>
        <source>Speed-up over plain</source>
        <translation>Schneller als einfach</translation>
    </message>
    <message>
        <source>Tokens per second divided by those of plain decoding, as measured with this model on this machine. Below 1 it is slower than plain.</source>
        <translation>Token pro Sekunde geteilt durch die des einfachen Dekodierens, gemessen mit diesem Modell auf diesem Rechner. Unter 1 ist es langsamer.</translation>
    </message>
    <message>
        <source>Acceptance rate</source>
        <translation>Annahmequote</translation>
    </message>
    <message>
        <source>Accepted tokens divided by proposed tokens, of draft and n-grams together.</source>
        <translation>Angenommene geteilt durch vorgeschlagene Token, von Entwurf und N-Grammen zusammen.</translation>
    </message>
    <message>
        <source>Accepted from the draft</source>
        <translation>Angenommen vom Entwurf</translation>
    </message>
    <message>
        <source>Accepted tokens divided by proposed tokens, of those from the draft model.</source>
        <translation>Angenommene geteilt durch vorgeschlagene Token, nur die vom Entwurfsmodell.</translation>
    </message>
    <message>
        <source>Accepted from n-grams</source>
        <translation>Angenommen von N-Grammen</translation>
    </message>
    <message>
        <source>Accepted tokens divided by proposed tokens, of those from n-grams.</source>
        <translation>Angenommene geteilt durch vorgeschlagene Token, nur die von N-Grammen.</translation>
    </message>
    <message>
        <source>Tokens per target pass</source>
        <translation>Token je Zieldurchlauf</translation>
    </message>
    <message>
        <source>New tokens divided by passes of the target; the token that a pass gives by itself included.</source>
        <translation>Neue Token geteilt durch Durchläufe des Zielmodells, das eigene Token jedes Durchlaufs eingeschlossen.</translation>
    </message>
    <message>
        <source>Target passes per token</source>
        <translation>Zieldurchläufe je Token</translation>
    </message>
    <message>
        <source>Passes of the target divided by new tokens. Plain decoding needs 1.</source>
        <translation>Durchläufe des Zielmodells geteilt durch neue Token. Einfaches Dekodieren braucht 1.</translation>
    </message>
    <message>
        <source>Relative bytes read</source>
        <translation>Gelesene Bytes, relativ</translation>
    </message>
    <message>
        <source>Bytes of weights that target and draft read for each new token, divided by those of plain decoding.</source>
        <translation>Bytes an Gewichten, die Ziel und Entwurf je neuem Token lesen, geteilt durch die des einfachen Dekodierens.</translation>
    </message>
    <message>
        <source>Overhead</source>
        <translation>Nebenaufwand</translation>
    </message>
    <message>
        <source>Share of the decoding time that neither the target nor the draft computes.</source>
        <translation>Anteil der Dekodierzeit, in der weder Ziel noch Entwurf rechnen.</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>Lesen der Eingabe</translation>
    </message>
    <message>
        <source>Seconds until the prompt was read; what the cache holds is not read again.</source>
        <translation>Sekunden, bis die Eingabe gelesen war; was im Zwischenspeicher liegt, wird nicht erneut gelesen.</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>Seconds from the request to the first token of the answer.</source>
        <translation>Sekunden von der Anfrage bis zum ersten Token der Antwort.</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Tokens of the answer.</source>
        <translation>Token der Antwort.</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>N-grams</source>
        <translation>N-Gramme</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>Planer</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Sonstiges</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>fertig</translation>
    </message>
    <message>
        <source>longest answer reached</source>
        <translation>längste Antwort erreicht</translation>
    </message>
    <message>
        <source>context is full</source>
        <translation>Kontext ist voll</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>In dieser Unterhaltung suchen</translation>
    </message>
    <message>
        <source>Previous hit (Shift+Enter)</source>
        <translation>Voriger Treffer (Umschalt+Eingabe)</translation>
    </message>
    <message>
        <source>Next hit (Enter)</source>
        <translation>Nächster Treffer (Eingabe)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>Schließen (Esc)</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
</context>
<context>
    <name>LaneView</name>
    <message>
        <source>Answer of this side</source>
        <translation>Antwort dieser Seite</translation>
    </message>
    <message>
        <source>{seconds:.2f} s</source>
        <translation>{seconds:.2f} s</translation>
    </message>
    <message>
        <source>Waits for its turn</source>
        <translation>Wartet, bis es dran ist</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>Liest …</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>{speed} Token/s</translation>
    </message>
</context>
<context>
    <name>Library</name>
    <message>
        <source>Downloading</source>
        <translation>Wird heruntergeladen</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>Wird geprüft</translation>
    </message>
    <message>
        <source>Converting</source>
        <translation>Wird umgewandelt</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} von {total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/s</translation>
    </message>
    <message>
        <source>{minutes} min left</source>
        <translation>noch {minutes} min</translation>
    </message>
    <message>
        <source>{seconds} s left</source>
        <translation>noch {seconds} s</translation>
    </message>
    <message>
        <source>Kept in {folder}. Free: {disk} of disk, {memory} of memory.</source>
        <translation>Aufbewahrt in {folder}. Frei: {disk} Platte, {memory} Speicher.</translation>
    </message>
    <message>
        <source>Sampling the draft for the n-gram table: {sampled:,} of {wanted:,} tokens</source>
        <translation>N-Gramm-Tabelle: {sampled:,} von {wanted:,} Token befragt</translation>
    </message>
    <message>
        <source>The n-gram table: starting</source>
        <translation>N-Gramm-Tabelle: beginnt</translation>
    </message>
    <message>
        <source>waits until nothing else is done</source>
        <translation>wartet, bis nichts anderes zu tun ist</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>Kein Entwurf</translation>
    </message>
    <message>
        <source>MIT and BSD</source>
        <translation>MIT und BSD</translation>
    </message>
    <message>
        <source>Licence: see its page</source>
        <translation>Lizenz: siehe Seite</translation>
    </message>
    <message>
        <source>Part of the program</source>
        <translation>Teil des Programms</translation>
    </message>
    <message>
        <source>{size} on the disk</source>
        <translation>{size} auf der Platte</translation>
    </message>
    <message>
        <source>Size unknown</source>
        <translation>Größe unbekannt</translation>
    </message>
    <message>
        <source>About {size} to download</source>
        <translation>Etwa {size} herunterzuladen</translation>
    </message>
    <message>
        <source>{size} are here</source>
        <translation>{size} sind da</translation>
    </message>
    <message>
        <source>Needs about {half} of memory in 16 bit, {single} in 32 bit</source>
        <translation>Braucht etwa {half} Speicher in 16 Bit, {single} in 32 Bit</translation>
    </message>
    <message>
        <source>{name} (another vocabulary)</source>
        <translation>{name} (anderes Vokabular)</translation>
    </message>
    <message>
        <source>{name} (to be downloaded)</source>
        <translation>{name} (noch herunterzuladen)</translation>
    </message>
    <message>
        <source>With an n-gram table</source>
        <translation>Mit N-Gramm-Tabelle</translation>
    </message>
    <message>
        <source>{share:.0%} of an n-gram table</source>
        <translation>{share:.0%} einer N-Gramm-Tabelle</translation>
    </message>
    <message>
        <source>Without a draft, n-grams alone guess ahead.</source>
        <translation>Ohne Entwurf raten allein N-Gramme voraus.</translation>
    </message>
    <message>
        <source>This draft has another vocabulary and cannot guess for this model.</source>
        <translation>Dieser Entwurf hat ein anderes Vokabular und kann für dieses Modell nicht raten.</translation>
    </message>
    <message>
        <source>The draft comes with the download.</source>
        <translation>Der Entwurf kommt mit dem Herunterladen.</translation>
    </message>
    <message>
        <source>Whether this draft fits can be told once the model is here.</source>
        <translation>Ob dieser Entwurf passt, zeigt sich, sobald das Modell da ist.</translation>
    </message>
    <message>
        <source>The draft fits.</source>
        <translation>Der Entwurf passt.</translation>
    </message>
    <message>
        <source>In the Hugging Face cache</source>
        <translation>Im Hugging-Face-Zwischenspeicher</translation>
    </message>
    <message>
        <source>In {folder}</source>
        <translation>In {folder}</translation>
    </message>
</context>
<context>
    <name>LibraryCard</name>
    <message>
        <source>Progress of the download</source>
        <translation>Fortschritt des Herunterladens</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Chat with it</source>
        <translation>Damit chatten</translation>
    </message>
    <message>
        <source>Make n-gram table</source>
        <translation>N-Gramm-Tabelle anlegen</translation>
    </message>
    <message>
        <source>Samples the draft while the chat is idle; takes hours on a small machine. Can be paused.</source>
        <translation>Befragt den Entwurf, während der Chat ruht; dauert auf einem kleinen Rechner Stunden und kann angehalten werden.</translation>
    </message>
    <message>
        <source>Remove …</source>
        <translation>Entfernen …</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>{name} – in use</source>
        <translation>{name} – in Gebrauch</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Go on with n-gram table</source>
        <translation>N-Gramm-Tabelle fortsetzen</translation>
    </message>
    <message>
        <source>Download the draft</source>
        <translation>Entwurf herunterladen</translation>
    </message>
    <message>
        <source>Its folder is gone. Put it back, or remove the model here and add it again.</source>
        <translation>Sein Ordner ist weg. Legen Sie ihn zurück, oder entfernen Sie das Modell hier und fügen es neu hinzu.</translation>
    </message>
    <message>
        <source>Draft of {name}</source>
        <translation>Entwurf von {name}</translation>
    </message>
    <message>
        <source>The draft is being downloaded.</source>
        <translation>Der Entwurf wird heruntergeladen.</translation>
    </message>
</context>
<context>
    <name>LibraryController</name>
    <message>
        <source>Waits for its turn</source>
        <translation>Wartet, bis es dran ist</translation>
    </message>
    <message>
        <source>{0} has an n-gram table now; it is used when the model is loaded again.</source>
        <translation>{0} hat jetzt eine N-Gramm-Tabelle; sie wirkt, sobald das Modell neu geladen wird.</translation>
    </message>
    <message>
        <source>{0} is ready.</source>
        <translation>{0} ist bereit.</translation>
    </message>
</context>
<context>
    <name>LibraryDialog</name>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Add a model …</source>
        <translation>Modell hinzufügen …</translation>
    </message>
    <message>
        <source>Change folder …</source>
        <translation>Ordner ändern …</translation>
    </message>
    <message>
        <source>List of models</source>
        <translation>Liste der Modelle</translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation>{name} entfernen?</translation>
    </message>
    <message>
        <source>{size}. Conversations stay. It can be downloaded again.</source>
        <translation>{size}. Unterhaltungen bleiben. Es kann wieder heruntergeladen werden.</translation>
    </message>
    <message>
        <source>Folder to keep models in</source>
        <translation>Ordner für Modelle</translation>
    </message>
</context>
<context>
    <name>LivePanel</name>
    <message>
        <source>Live panel</source>
        <translation>Messwerte</translation>
    </message>
    <message>
        <source>Tokens/s of this answer over the last minute; the dashed line is plain decoding on this machine.</source>
        <translation>Token/s dieser Antwort in der letzten Minute; die gestrichelte Linie ist einfaches Dekodieren auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Speed over time</source>
        <translation>Verlauf der Geschwindigkeit</translation>
    </message>
    <message>
        <source>Drafting</source>
        <translation>Entwerfen</translation>
    </message>
    <message>
        <source>How many passes of the target gave 1, 2, 3 ... tokens.</source>
        <translation>Wie viele Durchläufe des Zielmodells 1, 2, 3 ... Token ergaben.</translation>
    </message>
    <message>
        <source>Histogram of accepted lengths</source>
        <translation>Histogramm der angenommenen Längen</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>Wohin die Zeit geht</translation>
    </message>
    <message>
        <source>Shares of decoding time</source>
        <translation>Anteile an der Dekodierzeit</translation>
    </message>
    <message>
        <source>Context used</source>
        <translation>Belegter Kontext</translation>
    </message>
    <message>
        <source>Tokens of prompt and answer, of those that the model can see at once.</source>
        <translation>Token von Eingabe und Antwort, von denen, die das Modell auf einmal sieht.</translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation>Diese Unterhaltung</translation>
    </message>
    <message numerus="yes">
        <source>%n old turn(s) did not fit and were left out.</source>
        <translation>
            <numerusform>%n alter Beitrag passte nicht und wurde weggelassen.</numerusform>
            <numerusform>%n alte Beiträge passten nicht und wurden weggelassen.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Answer: {text}</source>
        <translation>Antwort: {text}</translation>
    </message>
    <message>
        <source>This takes effect when the model is loaded again.</source>
        <translation>Das wirkt, wenn das Modell neu geladen wird.</translation>
    </message>
    <message>
        <source>Load now</source>
        <translation>Jetzt laden</translation>
    </message>
    <message>
        <source>An answer is being written.</source>
        <translation>Eine Antwort wird gerade geschrieben.</translation>
    </message>
    <message>
        <source>What is there already is kept, and can be continued later.</source>
        <translation>Was schon da ist, bleibt erhalten und kann später fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Anhalten und schließen</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>Weiter</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;New conversation</source>
        <translation>&amp;Neue Unterhaltung</translation>
    </message>
    <message>
        <source>&amp;Import …</source>
        <translation>&amp;Importieren …</translation>
    </message>
    <message>
        <source>&amp;Export …</source>
        <translation>&amp;Exportieren …</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>Ein&amp;stellungen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Conversation</source>
        <translation>&amp;Unterhaltung</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>&amp;Umbenennen</translation>
    </message>
    <message>
        <source>&amp;Pin or unpin</source>
        <translation>&amp;Anheften oder lösen</translation>
    </message>
    <message>
        <source>&amp;Delete …</source>
        <translation>&amp;Löschen …</translation>
    </message>
    <message>
        <source>P&amp;revious in the list</source>
        <translation>&amp;Vorige in der Liste</translation>
    </message>
    <message>
        <source>Ne&amp;xt in the list</source>
        <translation>&amp;Nächste in der Liste</translation>
    </message>
    <message>
        <source>&amp;Search all conversations</source>
        <translation>Alle Unterhaltungen durch&amp;suchen</translation>
    </message>
    <message>
        <source>&amp;Find in this conversation</source>
        <translation>In dieser Unterhaltung &amp;finden</translation>
    </message>
    <message>
        <source>&amp;Message</source>
        <translation>&amp;Nachricht</translation>
    </message>
    <message>
        <source>&amp;Write a message</source>
        <translation>Nachricht &amp;schreiben</translation>
    </message>
    <message>
        <source>&amp;Stop the answer</source>
        <translation>Antwort &amp;anhalten</translation>
    </message>
    <message>
        <source>&amp;Jump to the latest</source>
        <translation>&amp;Zum Neuesten springen</translation>
    </message>
    <message>
        <source>&amp;Decoding</source>
        <translation>De&amp;kodieren</translation>
    </message>
    <message>
        <source>&amp;Race against plain …</source>
        <translation>&amp;Wettlauf gegen einfach …</translation>
    </message>
    <message>
        <source>&amp;Models …</source>
        <translation>&amp;Modelle …</translation>
    </message>
    <message>
        <source>&amp;Load the model again</source>
        <translation>Modell neu &amp;laden</translation>
    </message>
    <message>
        <source>S&amp;top loading</source>
        <translation>Laden a&amp;bbrechen</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Conversations</source>
        <translation>&amp;Unterhaltungen</translation>
    </message>
    <message>
        <source>&amp;Live panel</source>
        <translation>&amp;Messwerte</translation>
    </message>
    <message>
        <source>C&amp;olour tokens by origin</source>
        <translation>&amp;Token nach Herkunft färben</translation>
    </message>
    <message>
        <source>L&amp;arger text</source>
        <translation>&amp;Größerer Text</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>&amp;Kleinerer Text</translation>
    </message>
    <message>
        <source>&amp;Normal text size</source>
        <translation>&amp;Normale Textgröße</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>&amp;Vollbild</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>Open the &amp;logs</source>
        <translation>&amp;Protokolle öffnen</translation>
    </message>
    <message>
        <source>&amp;About and diagnostics</source>
        <translation>Ü&amp;ber und Diagnose</translation>
    </message>
    <message>
        <source>Send, as set</source>
        <translation>Senden, je nach Einstellung</translation>
    </message>
    <message>
        <source>Enter or Ctrl+Enter</source>
        <translation>Eingabe oder Strg+Eingabe</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>Neue Zeile</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Umschalt+Eingabe</translation>
    </message>
    <message>
        <source>Stop the answer, or leave an edit</source>
        <translation>Antwort anhalten oder Bearbeiten verlassen</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
</context>
<context>
    <name>MessageActions</name>
    <message>
        <source>Copy message</source>
        <translation>Nachricht kopieren</translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation>Bearbeiten und neu senden</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>Neu antworten</translation>
    </message>
    <message>
        <source>Continue this answer</source>
        <translation>Antwort fortsetzen</translation>
    </message>
    <message>
        <source>Branch into a new conversation</source>
        <translation>In neue Unterhaltung abzweigen</translation>
    </message>
    <message>
        <source>Delete message</source>
        <translation>Nachricht löschen</translation>
    </message>
    <message>
        <source>Older version</source>
        <translation>Ältere Fassung</translation>
    </message>
    <message>
        <source>Newer version</source>
        <translation>Neuere Fassung</translation>
    </message>
</context>
<context>
    <name>MessageView</name>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Nochmals versuchen</translation>
    </message>
    <message>
        <source>Use plain mode</source>
        <translation>Einfachen Modus nehmen</translation>
    </message>
    <message>
        <source>Waiting for the model …</source>
        <translation>Wartet auf das Modell …</translation>
    </message>
    <message>
        <source>Writing …</source>
        <translation>Schreibt …</translation>
    </message>
</context>
<context>
    <name>ModeButton</name>
    <message>
        <source>Decoding mode: {mode}</source>
        <translation>Dekodiermodus: {mode}</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Load again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>A change waits for the model to be loaded again.</source>
        <translation>Eine Änderung wartet darauf, dass das Modell neu geladen wird.</translation>
    </message>
    <message>
        <source>Loading: {stage}</source>
        <translation>Lädt: {stage}</translation>
    </message>
    <message>
        <source>Not loaded: {reason}</source>
        <translation>Nicht geladen: {reason}</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Kein Modell geladen.</translation>
    </message>
    <message>
        <source>{name}: {millions:,.0f} million parameters, {dtype} on {device} ({reason}). Plain decoding gives {speed:.1f} tokens/s here.</source>
        <translation>{name}: {millions:,.0f} Millionen Parameter, {dtype} auf {device} ({reason}). Einfaches Dekodieren schafft hier {speed:.1f} Token/s.</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>The model of before is loaded again. The other could not be: {0}</source>
        <translation>Das vorige Modell wird wieder geladen. Das andere ließ sich nicht laden: {0}</translation>
    </message>
</context>
<context>
    <name>OriginLegend</name>
    <message>
        <source>Legend of token origins</source>
        <translation>Legende der Token-Herkunft</translation>
    </message>
    <message>
        <source>Point at a token to see its round.</source>
        <translation>Zeigen Sie auf ein Token, um seine Runde zu sehen.</translation>
    </message>
</context>
<context>
    <name>Origins</name>
    <message>
        <source>Target</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>N-gram</source>
        <translation>N-Gramm</translation>
    </message>
</context>
<context>
    <name>PathEditor</name>
    <message>
        <source>Folder …</source>
        <translation>Ordner …</translation>
    </message>
</context>
<context>
    <name>PresetRow</name>
    <message>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>Eigene</translation>
    </message>
    <message>
        <source>Temperature, top-k, top-p and repetition penalty at once.</source>
        <translation>Temperatur, Top-k, Top-p und Wiederholungsstrafe auf einmal.</translation>
    </message>
</context>
<context>
    <name>ProblemBar</name>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
</context>
<context>
    <name>Race</name>
    <message>
        <source>Identical text, {0}</source>
        <translation>Identischer Text, {0}</translation>
    </message>
    <message>
        <source>The texts differ from character {0}. They never should: please report it.</source>
        <translation>Die Texte unterscheiden sich ab Zeichen {0}. Das darf nie sein: bitte melden Sie es.</translation>
    </message>
    <message>
        <source>The texts differ from character {0}: in 16 bit, two tokens were all but equally probable there, and rounding chose.</source>
        <translation>Die Texte unterscheiden sich ab Zeichen {0}: in 16 Bit waren dort zwei Token fast gleich wahrscheinlich, und die Rundung entschied.</translation>
    </message>
    <message>
        <source>too short to measure</source>
        <translation>zu kurz zum Messen</translation>
    </message>
    <message>
        <source>slower: {0:.2f} times the speed</source>
        <translation>langsamer: {0:.2f}-fache Geschwindigkeit</translation>
    </message>
    <message>
        <source>{0:.1f} times faster</source>
        <translation>{0:.1f}-mal so schnell</translation>
    </message>
</context>
<context>
    <name>RaceDialog</name>
    <message>
        <source>Race</source>
        <translation>Wettlauf</translation>
    </message>
    <message>
        <source>Race again</source>
        <translation>Neuer Wettlauf</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>The same question, the same seed, two ways to decode</source>
        <translation>Dieselbe Frage, derselbe Startwert, zwei Arten zu dekodieren</translation>
    </message>
    <message>
        <source>One after the other, each with the whole machine to itself. Nothing is added to the chat.</source>
        <translation>Nacheinander, jeder mit dem ganzen Rechner für sich. Dem Chat wird nichts hinzugefügt.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>The race was not finished.</source>
        <translation>Der Wettlauf wurde nicht beendet.</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>Bericht kopieren</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Staged Chat could not start. Your conversations are safe. The report below holds nothing of what was said; please send it to the authors.</source>
        <translation>Staged Chat konnte nicht starten. Ihre Unterhaltungen sind sicher. Der Bericht unten enthält nichts vom Gesagten; bitte senden Sie ihn den Autoren.</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>Etwas ist schiefgegangen</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Decoding</source>
        <translation>Dekodieren</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Auswahl der Token</translation>
    </message>
    <message>
        <source>Model and device</source>
        <translation>Modell und Gerät</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>Chat</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicherort</translation>
    </message>
    <message>
        <source>Takes effect at once.</source>
        <translation>Wirkt sofort.</translation>
    </message>
    <message>
        <source>Takes effect with the next message.</source>
        <translation>Wirkt ab der nächsten Nachricht.</translation>
    </message>
    <message>
        <source>Takes effect when the model is loaded again.</source>
        <translation>Wirkt, wenn das Modell neu geladen wird.</translation>
    </message>
    <message>
        <source>Takes effect when the application starts again.</source>
        <translation>Wirkt nach einem Neustart der Anwendung.</translation>
    </message>
    <message>
        <source>A copy is kept as {0}.</source>
        <translation>Eine Kopie liegt in {0}.</translation>
    </message>
    <message>
        <source>The settings in {0} could not all be used ({1}). Defaults take their place. {2}</source>
        <translation>Nicht alle Einstellungen in {0} waren brauchbar ({1}). An ihre Stelle treten Vorgaben. {2}</translation>
    </message>
    <message>
        <source>The settings could not be saved: {0}</source>
        <translation>Die Einstellungen konnten nicht gespeichert werden: {0}</translation>
    </message>
    <message>
        <source>Staged</source>
        <translation>Gestuft</translation>
    </message>
    <message>
        <source>A token tree from the draft, which n-grams speed up in turn. The fastest mode.</source>
        <translation>Ein Token-Baum vom Entwurf, den seinerseits N-Gramme beschleunigen. Der schnellste Modus.</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>Baum</translation>
    </message>
    <message>
        <source>The draft proposes a tree of likely continuations; the target checks all in one pass.</source>
        <translation>Der Entwurf schlägt einen Baum wahrscheinlicher Fortsetzungen vor; das Ziel prüft alle in einem Durchlauf.</translation>
    </message>
    <message>
        <source>Speculative</source>
        <translation>Spekulativ</translation>
    </message>
    <message>
        <source>A small draft model proposes a chain of tokens; the target checks them in one pass.</source>
        <translation>Ein kleines Entwurfsmodell schlägt eine Kette von Token vor; das Ziel prüft sie in einem Durchlauf.</translation>
    </message>
    <message>
        <source>N-gram</source>
        <translation>N-Gramm</translation>
    </message>
    <message>
        <source>Proposals from n-grams alone: a static table and the conversation itself. Needs no draft.</source>
        <translation>Vorschläge allein von N-Grammen: eine feste Tabelle und die Unterhaltung selbst. Braucht keinen Entwurf.</translation>
    </message>
    <message>
        <source>Plain</source>
        <translation>Einfach</translation>
    </message>
    <message>
        <source>One token per pass of the target. The reference that every other mode must match.</source>
        <translation>Ein Token je Durchlauf des Zielmodells. Der Maßstab, dem jeder andere Modus gleichen muss.</translation>
    </message>
    <message>
        <source>Decoding mode</source>
        <translation>Dekodiermodus</translation>
    </message>
    <message>
        <source>How answers are sped up. The text is the same in every mode.</source>
        <translation>Wie Antworten beschleunigt werden. Der Text ist in jedem Modus derselbe.</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>Entwurfsmodell</translation>
    </message>
    <message>
        <source>The small model that proposes tokens. It must share the target&apos;s vocabulary.</source>
        <translation>Das kleine Modell, das Token vorschlägt. Es muss das Vokabular des Zielmodells haben.</translation>
    </message>
    <message>
        <source>The one that comes with the model</source>
        <translation>Das zum Modell gehörende</translation>
    </message>
    <message>
        <source>Tree budget</source>
        <translation>Größe des Baums</translation>
    </message>
    <message>
        <source>The most tokens that one pass of the target may check. Automatic weighs what a token adds against what it costs on this machine.</source>
        <translation>So viele Token darf ein Durchlauf des Zielmodells höchstens prüfen. Automatisch wägt ab, was ein Token bringt und was es auf diesem Rechner kostet.</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Stage 2: n-grams speed up the draft</source>
        <translation>Stufe 2: N-Gramme beschleunigen den Entwurf</translation>
    </message>
    <message>
        <source>In staged mode, n-grams run ahead of the draft, which checks several at once.</source>
        <translation>Im gestuften Modus eilen N-Gramme dem Entwurf voraus, der mehrere auf einmal prüft.</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>0 always takes the most probable token; higher values surprise more.</source>
        <translation>0 nimmt immer das wahrscheinlichste Token; höhere Werte überraschen mehr.</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Only the k most probable tokens may be chosen; 0 allows all.</source>
        <translation>Nur die k wahrscheinlichsten Token sind erlaubt; 0 erlaubt alle.</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Only the most probable tokens that together reach this probability may be chosen; 1 allows all.</source>
        <translation>Nur die wahrscheinlichsten Token, die zusammen diese Wahrscheinlichkeit erreichen, sind erlaubt; 1 erlaubt alle.</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>Wiederholungsstrafe</translation>
    </message>
    <message>
        <source>Makes tokens that were used before less probable; 1 is off.</source>
        <translation>Macht schon benutzte Token unwahrscheinlicher; 1 ist aus.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>The same seed gives the same answer. Each answer shows the seed that it used.</source>
        <translation>Derselbe Startwert ergibt dieselbe Antwort. Jede Antwort zeigt ihren Startwert.</translation>
    </message>
    <message>
        <source>A new one for each answer</source>
        <translation>Ein neuer für jede Antwort</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>Längste Antwort</translation>
    </message>
    <message>
        <source>In tokens. An answer that was cut off can be continued.</source>
        <translation>In Token. Eine abgeschnittene Antwort kann fortgesetzt werden.</translation>
    </message>
    <message>
        <source>Stop at</source>
        <translation>Anhalten bei</translation>
    </message>
    <message>
        <source>Texts that end an answer, one a line. The chat format has its own besides.</source>
        <translation>Texte, die eine Antwort beenden, einer je Zeile. Das Chatformat hat noch eigene.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>The model that answers: the built-in one, or a folder with a GPT-2 checkpoint.</source>
        <translation>Das Modell, das antwortet: das eingebaute oder ein Ordner mit einem GPT-2-Modell.</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Where the model computes.</source>
        <translation>Wo das Modell rechnet.</translation>
    </message>
    <message>
        <source>Processor (CPU)</source>
        <translation>Prozessor (CPU)</translation>
    </message>
    <message>
        <source>NVIDIA GPU (CUDA)</source>
        <translation>NVIDIA-GPU (CUDA)</translation>
    </message>
    <message>
        <source>Second NVIDIA GPU</source>
        <translation>Zweite NVIDIA-GPU</translation>
    </message>
    <message>
        <source>Apple GPU (Metal)</source>
        <translation>Apple-GPU (Metal)</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Automatic measures which is fastest here. 16 bit halves the memory.</source>
        <translation>Automatisch misst, was hier am schnellsten ist. 16 Bit halbiert den Speicher.</translation>
    </message>
    <message>
        <source>32 bit (float32)</source>
        <translation>32 Bit (float32)</translation>
    </message>
    <message>
        <source>16 bit (bfloat16)</source>
        <translation>16 Bit (bfloat16)</translation>
    </message>
    <message>
        <source>16 bit (float16)</source>
        <translation>16 Bit (float16)</translation>
    </message>
    <message>
        <source>8-bit weights (int8)</source>
        <translation>8-Bit-Gewichte (int8)</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>Prozessor-Threads</translation>
    </message>
    <message>
        <source>How many cores the model may use.</source>
        <translation>Wie viele Kerne das Modell benutzen darf.</translation>
    </message>
    <message>
        <source>Build n-gram tables when idle</source>
        <translation>N-Gramm-Tabellen im Leerlauf erstellen</translation>
    </message>
    <message>
        <source>A model with a draft but no n-gram table gets one while nothing else is to be done. Answers never wait.</source>
        <translation>Ein Modell mit Entwurfsmodell, aber ohne N-Gramm-Tabelle bekommt eine, während nichts anderes zu tun ist. Antworten warten nie darauf.</translation>
    </message>
    <message>
        <source>Folder for models</source>
        <translation>Ordner für Modelle</translation>
    </message>
    <message>
        <source>Where downloads are kept: GPT-2 Large takes 2 GB, and 5 GB while it arrives.</source>
        <translation>Wo Heruntergeladenes liegt: GPT-2 Large braucht 2 GB, während der Ankunft 5 GB.</translation>
    </message>
    <message>
        <source>In the data folder</source>
        <translation>Im Datenordner</translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation>Chatformat</translation>
    </message>
    <message>
        <source>How a conversation becomes text for a model that was never taught to chat.</source>
        <translation>Wie eine Unterhaltung zu Text wird für ein Modell, das nie zu chatten lernte.</translation>
    </message>
    <message>
        <source>The model&apos;s own</source>
        <translation>Das des Modells</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>Mitschrift</translation>
    </message>
    <message>
        <source>Turns on lines of their own, behind the speakers&apos; names.</source>
        <translation>Beiträge auf eigenen Zeilen, hinter den Namen der Sprechenden.</translation>
    </message>
    <message>
        <source>End-of-text</source>
        <translation>Textende</translation>
    </message>
    <message>
        <source>Turns separated by the end-of-text token, as DialoGPT was trained.</source>
        <translation>Beiträge durch das Textende-Token getrennt, wie DialoGPT trainiert wurde.</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>Vorlage</translation>
    </message>
    <message>
        <source>The chat template of the model&apos;s tokenizer, where it has one.</source>
        <translation>Die Chatvorlage des Tokenizers, wo es eine gibt.</translation>
    </message>
    <message>
        <source>Preamble</source>
        <translation>Vorspann</translation>
    </message>
    <message>
        <source>A text before every conversation. It stays when old turns have to leave.</source>
        <translation>Ein Text vor jeder Unterhaltung. Er bleibt, wenn alte Beiträge weichen müssen.</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>Ihr Name</translation>
    </message>
    <message>
        <source>What stands before your messages in a transcript.</source>
        <translation>Was in einer Mitschrift vor Ihren Nachrichten steht.</translation>
    </message>
    <message>
        <source>The assistant&apos;s name</source>
        <translation>Name des Assistenten</translation>
    </message>
    <message>
        <source>What stands before the answers in a transcript.</source>
        <translation>Was in einer Mitschrift vor den Antworten steht.</translation>
    </message>
    <message>
        <source>When a conversation outgrows the context</source>
        <translation>Wenn eine Unterhaltung den Kontext sprengt</translation>
    </message>
    <message>
        <source>The model sees 1,024 tokens at most: preamble, conversation and answer.</source>
        <translation>Das Modell sieht höchstens 1.024 Token: Vorspann, Unterhaltung und Antwort.</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>Älteste Beiträge weglassen</translation>
    </message>
    <message>
        <source>Whole turns leave, the preamble stays, and the window says so.</source>
        <translation>Ganze Beiträge weichen, der Vorspann bleibt, und das Fenster sagt es.</translation>
    </message>
    <message>
        <source>Say so and stop</source>
        <translation>Melden und anhalten</translation>
    </message>
    <message>
        <source>Nothing is left out; the message is not answered.</source>
        <translation>Nichts wird weggelassen; die Nachricht wird nicht beantwortet.</translation>
    </message>
    <message>
        <source>Send with</source>
        <translation>Senden mit</translation>
    </message>
    <message>
        <source>Shift+Enter always begins a new line.</source>
        <translation>Umschalt+Eingabe beginnt immer eine neue Zeile.</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Strg+Eingabe</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Text size (%)</source>
        <translation>Textgröße (%)</translation>
    </message>
    <message>
        <source>In percent of the system&apos;s size. Ctrl with +, - and 0 changes it too.</source>
        <translation>In Prozent der Systemgröße. Auch Strg mit +, - und 0 ändert sie.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Show the live panel</source>
        <translation>Messwerte zeigen</translation>
    </message>
    <message>
        <source>Colour tokens by origin</source>
        <translation>Token nach Herkunft färben</translation>
    </message>
    <message>
        <source>Shows which tokens came from n-grams, from the draft and from the target.</source>
        <translation>Zeigt, welche Token von N-Grammen, vom Entwurf und vom Ziel kamen.</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>Ausgewogen</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>Genau</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>Einfallsreich</translation>
    </message>
    <message>
        <source>Greedy: always the most probable token</source>
        <translation>Gierig: immer das wahrscheinlichste Token</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>No setting has this text.</source>
        <translation>Keine Einstellung enthält diesen Text.</translation>
    </message>
    <message>
        <source>Reset this page</source>
        <translation>Seite zurücksetzen</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>About and diagnostics</source>
        <translation>Über und Diagnose</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>Suchergebnisse</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreiben</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>Neue Unterhaltung</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>Unterhaltungen suchen</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Delete “{title}”?</source>
        <translation>„{title}“ löschen?</translation>
    </message>
    <message>
        <source>It can be brought back for a few seconds.</source>
        <translation>Sie lässt sich noch einige Sekunden lang zurückholen.</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>Lösen</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>Anheften</translation>
    </message>
    <message>
        <source>Delete …</source>
        <translation>Löschen …</translation>
    </message>
</context>
<context>
    <name>SpeedChart</name>
    <message>
        <source>Speed is drawn here while an answer is written.</source>
        <translation>Hier erscheint die Geschwindigkeit, während eine Antwort entsteht.</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Loading the model</source>
        <translation>Modell wird geladen</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>Neu laden</translation>
    </message>
    <message>
        <source>Get GPT-2 Large …</source>
        <translation>GPT-2 Large holen …</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>Hello! How are you?</source>
        <translation>Hello! How are you?</translation>
    </message>
    <message>
        <source>Tell me a joke.</source>
        <translation>Tell me a joke.</translation>
    </message>
    <message>
        <source>Write a Python function that adds two numbers.</source>
        <translation>Write a Python function that adds two numbers.</translation>
    </message>
    <message>
        <source>Welcome to Staged Chat</source>
        <translation>Willkommen bei Staged Chat</translation>
    </message>
    <message>
        <source>A chat that runs on this computer alone. A small draft model guesses ahead and the large model checks many guesses at once: the same answers, several times faster. The panel at the right shows how.

A small built-in model starts right away. For GPT-2 Large, visit the model library.</source>
        <translation>Ein Chat, der nur auf diesem Rechner läuft. Ein kleines Entwurfsmodell rät voraus, und das große Modell prüft viele Vermutungen auf einmal: dieselben Antworten, mehrmals so schnell. Rechts sehen Sie, wie.

Ein kleines eingebautes Modell startet sofort. GPT-2 Large gibt es in der Modellbibliothek.</translation>
    </message>
    <message>
        <source>What is on your mind?</source>
        <translation>Was beschäftigt Sie?</translation>
    </message>
    <message>
        <source>Everything stays on this computer.</source>
        <translation>Alles bleibt auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Loading the model: {stage}. You can write already.</source>
        <translation>Modell wird geladen: {stage}. Sie können schon schreiben.</translation>
    </message>
    <message>
        <source>{model} is ready.</source>
        <translation>{model} ist bereit.</translation>
    </message>
    <message>
        <source>The model could not be loaded: {reason}</source>
        <translation>Das Modell konnte nicht geladen werden: {reason}</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Kein Modell geladen.</translation>
    </message>
</context>
<context>
    <name>StorageCard</name>
    <message>
        <source>Open folder</source>
        <translation>Ordner öffnen</translation>
    </message>
    <message>
        <source>Delete all conversations …</source>
        <translation>Alle Unterhaltungen löschen …</translation>
    </message>
    <message>
        <source>Conversations and models are kept in</source>
        <translation>Unterhaltungen und Modelle liegen in</translation>
    </message>
    <message>
        <source>Deleting all conversations cannot be undone. Models and settings stay.</source>
        <translation>Das Löschen aller Unterhaltungen lässt sich nicht rückgängig machen. Modelle und Einstellungen bleiben.</translation>
    </message>
    <message>
        <source>Delete all conversations?</source>
        <translation>Alle Unterhaltungen löschen?</translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation>Das lässt sich nicht rückgängig machen.</translation>
    </message>
</context>
<context>
    <name>TextBlock</name>
    <message>
        <source>Message text</source>
        <translation>Text der Nachricht</translation>
    </message>
    <message>
        <source>{origin} · round {round} · tree of {size} · {emitted} emitted</source>
        <translation>{origin} · Runde {round} · Baum mit {size} · {emitted} ausgegeben</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Ausblenden</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>Jump to the latest message</source>
        <translation>Zur neuesten Nachricht springen</translation>
    </message>
</context>
<context>
    <name>_CodeText</name>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
</context>
<context>
    <name>_Counts</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n Token</numerusform>
            <numerusform>%n Token</numerusform>
        </translation>
    </message>
</context>
</TS>
