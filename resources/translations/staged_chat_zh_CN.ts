<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AddDialog</name>
    <message>
        <source>Add a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Decide for me</source>
        <translation>自动决定</translation>
    </message>
    <message>
        <source>Transcript with names</source>
        <translation>带姓名的对话稿</translation>
    </message>
    <message>
        <source>Turns separated by end-of-text</source>
        <translation>以文本结束符分隔轮次</translation>
    </message>
    <message>
        <source>The tokenizer&apos;s template</source>
        <translation>分词器自带模板</translation>
    </message>
    <message>
        <source>Hub id or folder</source>
        <translation>Hub 名称或文件夹</translation>
    </message>
    <message>
        <source>Draft (may be empty)</source>
        <translation>草稿模型（可留空）</translation>
    </message>
    <message>
        <source>Name (may be empty)</source>
        <translation>名称（可留空）</translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation>聊天格式</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Any GPT-2 on huggingface.co, or a folder with one. A folder stays where it is.</source>
        <translation>huggingface.co 上的任意 GPT-2，或含有它的文件夹。文件夹保持原位。</translation>
    </message>
    <message>
        <source>Folder …</source>
        <translation>文件夹…</translation>
    </message>
    <message>
        <source>Choose a folder: {label}</source>
        <translation>选择文件夹：{label}</translation>
    </message>
    <message>
        <source>Folder with a GPT-2 model</source>
        <translation>含 GPT-2 模型的文件夹</translation>
    </message>
</context>
<context>
    <name>AnswerLine</name>
    <message>
        <source>{speed:.1f} tokens/s</source>
        <translation>{speed:.1f} 词元/秒</translation>
    </message>
    <message>
        <source>first after {seconds:.2f} s</source>
        <translation>首个用时 {seconds:.2f} 秒</translation>
    </message>
    <message>
        <source>accepted {accepted} of {proposed}</source>
        <translation>接受 {accepted} / {proposed}</translation>
    </message>
    <message>
        <source>seed {seed}</source>
        <translation>种子 {seed}</translation>
    </message>
    <message>
        <source>interrupted; continue or answer again</source>
        <translation>已中断；可继续或重新回答</translation>
    </message>
</context>
<context>
    <name>Answers</name>
    <message>
        <source>The answer could not be saved: {0}</source>
        <translation>无法保存回答：{0}</translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>The conversation could not be read: {0}</source>
        <translation>无法读取对话：{0}</translation>
    </message>
    <message>
        <source>With this seed or temperature, the same settings give the same answer again.</source>
        <translation>在此种子或温度下，相同设置会给出相同的回答。</translation>
    </message>
    <message>
        <source>Message deleted</source>
        <translation>消息已删除</translation>
    </message>
    <message>
        <source>This could not be saved: {0}</source>
        <translation>无法保存：{0}</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>Show conversations</source>
        <translation>显示对话列表</translation>
    </message>
    <message>
        <source>Colour tokens by origin</source>
        <translation>按来源为词元着色</translation>
    </message>
    <message>
        <source>Show the live panel</source>
        <translation>显示实时面板</translation>
    </message>
    <message>
        <source>Race plain against the chosen mode</source>
        <translation>普通模式与所选模式竞速</translation>
    </message>
    <message>
        <source>Write already: it is sent when the model is ready</source>
        <translation>现在就可以写：模型就绪后自动发送</translation>
    </message>
    <message>
        <source>Write a message</source>
        <translation>输入消息</translation>
    </message>
    <message>
        <source>Loading {percent} %</source>
        <translation>加载中 {percent}%</translation>
    </message>
    <message>
        <source>Model failed</source>
        <translation>模型加载失败</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Copy code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Editing an earlier message</source>
        <translation>正在编辑先前的消息</translation>
    </message>
    <message>
        <source>Cancel editing (Esc)</source>
        <translation>取消编辑 (Esc)</translation>
    </message>
</context>
<context>
    <name>ComposerText</name>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>ContextMeter</name>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens that the model would read for this message, of those that fit into its context.</source>
        <translation>模型为此消息需读取的词元数 / 上下文可容纳的词元数。</translation>
    </message>
    <message numerus="yes">
        <source>%n old turn(s) do not fit and will be left out.</source>
        <translation>
            <numerusform>有 %n 轮旧对话放不下，将被略去。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ConversationListModel</name>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
</context>
<context>
    <name>ConversationsController</name>
    <message>
        <source>Conversation deleted</source>
        <translation>对话已删除</translation>
    </message>
    <message>
        <source>Saved as {0}</source>
        <translation>已保存为 {0}</translation>
    </message>
    <message>
        <source>This could not be done: {0}</source>
        <translation>操作失败：{0}</translation>
    </message>
</context>
<context>
    <name>Core</name>
    <message>
        <source>Conversations cannot be kept: {0}. This session stays in memory; export what you need.</source>
        <translation>无法保存对话：{0}。本次会话仅保留在内存中；请导出所需内容。</translation>
    </message>
</context>
<context>
    <name>Dialogs</name>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Open logs</source>
        <translation>打开日志</translation>
    </message>
    <message>
        <source>Chat on your own computer with staged speculative decoding (Spector &amp; Ré 2023): the same answers as plain decoding, faster. Nothing leaves this computer.</source>
        <translation>在您自己的电脑上聊天，采用分级推测解码（Spector &amp; Ré 2023）：回答与普通解码完全相同，但更快。任何内容都不会离开本机。</translation>
    </message>
    <message>
        <source>The application goes on, and your conversations are safe. The report below holds nothing of what was said; please send it to the authors.</source>
        <translation>应用继续运行，您的对话安全无恙。下面的报告不含任何对话内容；请将它发给作者。</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>出了点问题</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>Conversations (*.json *.md)</source>
        <translation>对话 (*.json *.md)</translation>
    </message>
    <message>
        <source>Export conversation</source>
        <translation>导出对话</translation>
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
        <translation>对话</translation>
    </message>
</context>
<context>
    <name>DraftCard</name>
    <message>
        <source>No draft model is loaded: only plain and n-gram decoding have an effect.</source>
        <translation>未加载草稿模型：仅普通解码和 n 元语法解码有效。</translation>
    </message>
    <message>
        <source>The draft model is being loaded.</source>
        <translation>正在加载草稿模型。</translation>
    </message>
    <message>
        <source>This draft does not fit the model: {reason}</source>
        <translation>此草稿模型与模型不匹配：{reason}</translation>
    </message>
    <message>
        <source> It has {millions:.0f} million parameters.</source>
        <translation>它有 {millions:.0f} 百万个参数。</translation>
    </message>
    <message>
        <source>The draft model fits and is in use.</source>
        <translation>草稿模型匹配，正在使用。</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Tokens per second</source>
        <translation>每秒词元数</translation>
    </message>
    <message>
        <source>New tokens divided by seconds of decoding. Reading the prompt is not counted.</source>
        <translation>新词元数除以解码秒数，不含读取提示的时间。</translation>
    </message>
    <message>
        <source>Speed-up over plain</source>
        <translation>相对普通的加速</translation>
    </message>
    <message>
        <source>Tokens per second divided by those of plain decoding, as measured with this model on this machine. Below 1 it is slower than plain.</source>
        <translation>每秒词元数除以本机上此模型普通解码的实测值。小于 1 表示比普通更慢。</translation>
    </message>
    <message>
        <source>Acceptance rate</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Accepted tokens divided by proposed tokens, of draft and n-grams together.</source>
        <translation>接受的词元数除以提议的词元数，草稿与 n 元语法合计。</translation>
    </message>
    <message>
        <source>Accepted from the draft</source>
        <translation>草稿接受率</translation>
    </message>
    <message>
        <source>Accepted tokens divided by proposed tokens, of those from the draft model.</source>
        <translation>草稿模型的词元：接受数除以提议数。</translation>
    </message>
    <message>
        <source>Accepted from n-grams</source>
        <translation>n 元语法接受率</translation>
    </message>
    <message>
        <source>Accepted tokens divided by proposed tokens, of those from n-grams.</source>
        <translation>n 元语法的词元：接受数除以提议数。</translation>
    </message>
    <message>
        <source>Tokens per target pass</source>
        <translation>每次目标前向的词元</translation>
    </message>
    <message>
        <source>New tokens divided by passes of the target; the token that a pass gives by itself included.</source>
        <translation>新词元数除以目标模型前向次数，含每次前向自身给出的词元。</translation>
    </message>
    <message>
        <source>Target passes per token</source>
        <translation>每词元的目标前向</translation>
    </message>
    <message>
        <source>Passes of the target divided by new tokens. Plain decoding needs 1.</source>
        <translation>目标模型前向次数除以新词元数。普通解码为 1。</translation>
    </message>
    <message>
        <source>Relative bytes read</source>
        <translation>相对读取字节</translation>
    </message>
    <message>
        <source>Bytes of weights that target and draft read for each new token, divided by those of plain decoding.</source>
        <translation>目标与草稿为每个新词元读取的权重字节数，除以普通解码的字节数。</translation>
    </message>
    <message>
        <source>Overhead</source>
        <translation>额外开销</translation>
    </message>
    <message>
        <source>Share of the decoding time that neither the target nor the draft computes.</source>
        <translation>解码时间中目标与草稿都不在计算的比例。</translation>
    </message>
    <message>
        <source>Reading the prompt</source>
        <translation>读取提示</translation>
    </message>
    <message>
        <source>Seconds until the prompt was read; what the cache holds is not read again.</source>
        <translation>读完提示所用秒数；缓存中已有的不再读取。</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首词元时间</translation>
    </message>
    <message>
        <source>Seconds from the request to the first token of the answer.</source>
        <translation>从请求到回答首个词元的秒数。</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Tokens of the answer.</source>
        <translation>回答的词元数。</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>N-grams</source>
        <translation>n 元语法</translation>
    </message>
    <message>
        <source>Planner</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>longest answer reached</source>
        <translation>达到最大长度</translation>
    </message>
    <message>
        <source>context is full</source>
        <translation>上下文已满</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Previous hit (Shift+Enter)</source>
        <translation>上一个 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next hit (Enter)</source>
        <translation>下一个 (Enter)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>未找到</translation>
    </message>
</context>
<context>
    <name>LaneView</name>
    <message>
        <source>Answer of this side</source>
        <translation>此侧的回答</translation>
    </message>
    <message>
        <source>{seconds:.2f} s</source>
        <translation>{seconds:.2f} 秒</translation>
    </message>
    <message>
        <source>Waits for its turn</source>
        <translation>等待轮到</translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation>读取中…</translation>
    </message>
    <message>
        <source>{speed} tokens/s</source>
        <translation>{speed} 词元/秒</translation>
    </message>
</context>
<context>
    <name>Library</name>
    <message>
        <source>Downloading</source>
        <translation>正在下载</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>正在检查</translation>
    </message>
    <message>
        <source>Converting</source>
        <translation>正在转换</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{size}/s</source>
        <translation>{size}/秒</translation>
    </message>
    <message>
        <source>{minutes} min left</source>
        <translation>还需 {minutes} 分钟</translation>
    </message>
    <message>
        <source>{seconds} s left</source>
        <translation>还需 {seconds} 秒</translation>
    </message>
    <message>
        <source>Kept in {folder}. Free: {disk} of disk, {memory} of memory.</source>
        <translation>保存在 {folder}。可用：磁盘 {disk}，内存 {memory}。</translation>
    </message>
    <message>
        <source>Sampling the draft for the n-gram table: {sampled:,} of {wanted:,} tokens</source>
        <translation>为 n 元语法表采样：{sampled:,} / {wanted:,} 个词元</translation>
    </message>
    <message>
        <source>The n-gram table: starting</source>
        <translation>n 元语法表：正在开始</translation>
    </message>
    <message>
        <source>waits until nothing else is done</source>
        <translation>等待其他工作完成</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>不用草稿模型</translation>
    </message>
    <message>
        <source>MIT and BSD</source>
        <translation>MIT 和 BSD</translation>
    </message>
    <message>
        <source>Licence: see its page</source>
        <translation>许可证：见其页面</translation>
    </message>
    <message>
        <source>Part of the program</source>
        <translation>程序自带</translation>
    </message>
    <message>
        <source>{size} on the disk</source>
        <translation>占用磁盘 {size}</translation>
    </message>
    <message>
        <source>Size unknown</source>
        <translation>大小未知</translation>
    </message>
    <message>
        <source>About {size} to download</source>
        <translation>约需下载 {size}</translation>
    </message>
    <message>
        <source>{size} are here</source>
        <translation>已有 {size}</translation>
    </message>
    <message>
        <source>Needs about {half} of memory in 16 bit, {single} in 32 bit</source>
        <translation>16 位约需内存 {half}，32 位约需 {single}</translation>
    </message>
    <message>
        <source>{name} (another vocabulary)</source>
        <translation>{name}（词表不同）</translation>
    </message>
    <message>
        <source>{name} (to be downloaded)</source>
        <translation>{name}（待下载）</translation>
    </message>
    <message>
        <source>With an n-gram table</source>
        <translation>带 n 元语法表</translation>
    </message>
    <message>
        <source>{share:.0%} of an n-gram table</source>
        <translation>n 元语法表已完成 {share:.0%}</translation>
    </message>
    <message>
        <source>Without a draft, n-grams alone guess ahead.</source>
        <translation>不用草稿模型时，仅由 n 元语法预测。</translation>
    </message>
    <message>
        <source>This draft has another vocabulary and cannot guess for this model.</source>
        <translation>此草稿模型的词表不同，不能为该模型预测。</translation>
    </message>
    <message>
        <source>The draft comes with the download.</source>
        <translation>草稿模型随下载一并提供。</translation>
    </message>
    <message>
        <source>Whether this draft fits can be told once the model is here.</source>
        <translation>模型到位后才能判断此草稿模型是否匹配。</translation>
    </message>
    <message>
        <source>The draft fits.</source>
        <translation>草稿模型匹配。</translation>
    </message>
    <message>
        <source>In the Hugging Face cache</source>
        <translation>在 Hugging Face 缓存中</translation>
    </message>
    <message>
        <source>In {folder}</source>
        <translation>位于 {folder}</translation>
    </message>
</context>
<context>
    <name>LibraryCard</name>
    <message>
        <source>Progress of the download</source>
        <translation>下载进度</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Chat with it</source>
        <translation>用它聊天</translation>
    </message>
    <message>
        <source>Make n-gram table</source>
        <translation>生成 n 元语法表</translation>
    </message>
    <message>
        <source>Samples the draft while the chat is idle; takes hours on a small machine. Can be paused.</source>
        <translation>在聊天空闲时对草稿模型采样；在小型机器上需要数小时，可以暂停。</translation>
    </message>
    <message>
        <source>Remove …</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>{name} – in use</source>
        <translation>{name} – 使用中</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Go on with n-gram table</source>
        <translation>继续生成 n 元语法表</translation>
    </message>
    <message>
        <source>Download the draft</source>
        <translation>下载草稿模型</translation>
    </message>
    <message>
        <source>Its folder is gone. Put it back, or remove the model here and add it again.</source>
        <translation>其文件夹不见了。请放回原处，或在此移除该模型后重新添加。</translation>
    </message>
    <message>
        <source>Draft of {name}</source>
        <translation>{name} 的草稿模型</translation>
    </message>
    <message>
        <source>The draft is being downloaded.</source>
        <translation>正在下载草稿模型。</translation>
    </message>
</context>
<context>
    <name>LibraryController</name>
    <message>
        <source>Waits for its turn</source>
        <translation>等待轮到</translation>
    </message>
    <message>
        <source>{0} has an n-gram table now; it is used when the model is loaded again.</source>
        <translation>{0} 现在有了 n 元语法表；模型重新加载后生效。</translation>
    </message>
    <message>
        <source>{0} is ready.</source>
        <translation>{0} 已就绪。</translation>
    </message>
</context>
<context>
    <name>LibraryDialog</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Add a model …</source>
        <translation>添加模型…</translation>
    </message>
    <message>
        <source>Change folder …</source>
        <translation>更改文件夹…</translation>
    </message>
    <message>
        <source>List of models</source>
        <translation>模型列表</translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation>移除 {name}？</translation>
    </message>
    <message>
        <source>{size}. Conversations stay. It can be downloaded again.</source>
        <translation>{size}。对话保留。可以重新下载。</translation>
    </message>
    <message>
        <source>Folder to keep models in</source>
        <translation>存放模型的文件夹</translation>
    </message>
</context>
<context>
    <name>LivePanel</name>
    <message>
        <source>Live panel</source>
        <translation>实时面板</translation>
    </message>
    <message>
        <source>Tokens/s of this answer over the last minute; the dashed line is plain decoding on this machine.</source>
        <translation>此回答最近一分钟的每秒词元数；虚线为本机的普通解码。</translation>
    </message>
    <message>
        <source>Speed over time</source>
        <translation>速度随时间变化</translation>
    </message>
    <message>
        <source>Drafting</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>How many passes of the target gave 1, 2, 3 ... tokens.</source>
        <translation>给出 1、2、3… 个词元的目标前向各有多少次。</translation>
    </message>
    <message>
        <source>Histogram of accepted lengths</source>
        <translation>接受长度直方图</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间去向</translation>
    </message>
    <message>
        <source>Shares of decoding time</source>
        <translation>解码时间占比</translation>
    </message>
    <message>
        <source>Context used</source>
        <translation>已用上下文</translation>
    </message>
    <message>
        <source>Tokens of prompt and answer, of those that the model can see at once.</source>
        <translation>提示与回答的词元数 / 模型一次可见的词元数。</translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation>本次对话</translation>
    </message>
    <message numerus="yes">
        <source>%n old turn(s) did not fit and were left out.</source>
        <translation>
            <numerusform>有 %n 轮旧对话放不下，已被略去。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Answer: {text}</source>
        <translation>回答：{text}</translation>
    </message>
    <message>
        <source>This takes effect when the model is loaded again.</source>
        <translation>重新加载模型后生效。</translation>
    </message>
    <message>
        <source>Load now</source>
        <translation>立即加载</translation>
    </message>
    <message>
        <source>An answer is being written.</source>
        <translation>正在生成回答。</translation>
    </message>
    <message>
        <source>What is there already is kept, and can be continued later.</source>
        <translation>已有内容会保留，以后可以继续。</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>停止并关闭</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;New conversation</source>
        <translation>新对话(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Import …</source>
        <translation>导入(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Export …</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>设置(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Conversation</source>
        <translation>对话(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Rename</source>
        <translation>重命名(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Pin or unpin</source>
        <translation>置顶或取消置顶(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Delete …</source>
        <translation>删除(&amp;D)…</translation>
    </message>
    <message>
        <source>P&amp;revious in the list</source>
        <translation>列表中的上一个(&amp;R)</translation>
    </message>
    <message>
        <source>Ne&amp;xt in the list</source>
        <translation>列表中的下一个(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Search all conversations</source>
        <translation>搜索所有对话(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Find in this conversation</source>
        <translation>在此对话中查找(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Message</source>
        <translation>消息(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Write a message</source>
        <translation>输入消息(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Stop the answer</source>
        <translation>停止回答(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Jump to the latest</source>
        <translation>跳到最新(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Decoding</source>
        <translation>解码(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Race against plain …</source>
        <translation>与普通模式竞速(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Models …</source>
        <translation>模型(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Load the model again</source>
        <translation>重新加载模型(&amp;L)</translation>
    </message>
    <message>
        <source>S&amp;top loading</source>
        <translation>停止加载(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Conversations</source>
        <translation>对话列表(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Live panel</source>
        <translation>实时面板(&amp;L)</translation>
    </message>
    <message>
        <source>C&amp;olour tokens by origin</source>
        <translation>按来源为词元着色(&amp;O)</translation>
    </message>
    <message>
        <source>L&amp;arger text</source>
        <translation>放大文字(&amp;A)</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>缩小文字(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Normal text size</source>
        <translation>正常文字大小(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>全屏(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>Open the &amp;logs</source>
        <translation>打开日志(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;About and diagnostics</source>
        <translation>关于与诊断(&amp;A)</translation>
    </message>
    <message>
        <source>Send, as set</source>
        <translation>发送（按设置）</translation>
    </message>
    <message>
        <source>Enter or Ctrl+Enter</source>
        <translation>Enter 或 Ctrl+Enter</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation>Shift+Enter</translation>
    </message>
    <message>
        <source>Stop the answer, or leave an edit</source>
        <translation>停止回答，或退出编辑</translation>
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
        <translation>复制消息</translation>
    </message>
    <message>
        <source>Edit and send again</source>
        <translation>编辑并重新发送</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>Continue this answer</source>
        <translation>继续此回答</translation>
    </message>
    <message>
        <source>Branch into a new conversation</source>
        <translation>分支到新对话</translation>
    </message>
    <message>
        <source>Delete message</source>
        <translation>删除消息</translation>
    </message>
    <message>
        <source>Older version</source>
        <translation>上一版本</translation>
    </message>
    <message>
        <source>Newer version</source>
        <translation>下一版本</translation>
    </message>
</context>
<context>
    <name>MessageView</name>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>您的消息</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Use plain mode</source>
        <translation>使用普通模式</translation>
    </message>
    <message>
        <source>Waiting for the model …</source>
        <translation>等待模型…</translation>
    </message>
    <message>
        <source>Writing …</source>
        <translation>正在书写…</translation>
    </message>
</context>
<context>
    <name>ModeButton</name>
    <message>
        <source>Decoding mode: {mode}</source>
        <translation>解码模式：{mode}</translation>
    </message>
</context>
<context>
    <name>ModelCard</name>
    <message>
        <source>Load again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>A change waits for the model to be loaded again.</source>
        <translation>有更改等待模型重新加载。</translation>
    </message>
    <message>
        <source>Loading: {stage}</source>
        <translation>加载中：{stage}</translation>
    </message>
    <message>
        <source>Not loaded: {reason}</source>
        <translation>未加载：{reason}</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>未加载模型。</translation>
    </message>
    <message>
        <source>{name}: {millions:,.0f} million parameters, {dtype} on {device} ({reason}). Plain decoding gives {speed:.1f} tokens/s here.</source>
        <translation>{name}：{millions:,.0f} 百万参数，{dtype}，{device}（{reason}）。普通解码在本机为 {speed:.1f} 词元/秒。</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>The model of before is loaded again. The other could not be: {0}</source>
        <translation>正在重新加载之前的模型。另一个模型无法加载：{0}</translation>
    </message>
</context>
<context>
    <name>OriginLegend</name>
    <message>
        <source>Legend of token origins</source>
        <translation>词元来源图例</translation>
    </message>
    <message>
        <source>Point at a token to see its round.</source>
        <translation>指向词元可查看其轮次。</translation>
    </message>
</context>
<context>
    <name>Origins</name>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>N-gram</source>
        <translation>n 元语法</translation>
    </message>
</context>
<context>
    <name>PathEditor</name>
    <message>
        <source>Folder …</source>
        <translation>文件夹…</translation>
    </message>
</context>
<context>
    <name>PresetRow</name>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Temperature, top-k, top-p and repetition penalty at once.</source>
        <translation>一次设定温度、top-k、top-p 和重复惩罚。</translation>
    </message>
</context>
<context>
    <name>ProblemBar</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Race</name>
    <message>
        <source>Identical text, {0}</source>
        <translation>文本完全相同，{0}</translation>
    </message>
    <message>
        <source>The texts differ from character {0}. They never should: please report it.</source>
        <translation>文本从第 {0} 个字符起不同。这不应发生：请报告。</translation>
    </message>
    <message>
        <source>The texts differ from character {0}: in 16 bit, two tokens were all but equally probable there, and rounding chose.</source>
        <translation>文本从第 {0} 个字符起不同：在 16 位下，该处两个词元的概率几乎相等，由舍入决定。</translation>
    </message>
    <message>
        <source>too short to measure</source>
        <translation>太短，无法测量</translation>
    </message>
    <message>
        <source>slower: {0:.2f} times the speed</source>
        <translation>更慢：速度为 {0:.2f} 倍</translation>
    </message>
    <message>
        <source>{0:.1f} times faster</source>
        <translation>快 {0:.1f} 倍</translation>
    </message>
</context>
<context>
    <name>RaceDialog</name>
    <message>
        <source>Race</source>
        <translation>竞速</translation>
    </message>
    <message>
        <source>Race again</source>
        <translation>再来一次</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>The same question, the same seed, two ways to decode</source>
        <translation>同一问题、同一种子、两种解码方式</translation>
    </message>
    <message>
        <source>One after the other, each with the whole machine to itself. Nothing is added to the chat.</source>
        <translation>依次进行，各自独占整台机器。不会向对话添加任何内容。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>The race was not finished.</source>
        <translation>竞速未完成。</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Staged Chat could not start. Your conversations are safe. The report below holds nothing of what was said; please send it to the authors.</source>
        <translation>Staged Chat 无法启动。您的对话是安全的。下面的报告不包含任何对话内容；请将其发送给作者。</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>出了点问题</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Model and device</source>
        <translation>模型与设备</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>存储</translation>
    </message>
    <message>
        <source>Takes effect at once.</source>
        <translation>立即生效。</translation>
    </message>
    <message>
        <source>Takes effect with the next message.</source>
        <translation>从下一条消息起生效。</translation>
    </message>
    <message>
        <source>Takes effect when the model is loaded again.</source>
        <translation>重新加载模型后生效。</translation>
    </message>
    <message>
        <source>Takes effect when the application starts again.</source>
        <translation>重启应用后生效。</translation>
    </message>
    <message>
        <source>A copy is kept as {0}.</source>
        <translation>副本保存为 {0}。</translation>
    </message>
    <message>
        <source>The settings in {0} could not all be used ({1}). Defaults take their place. {2}</source>
        <translation>{0} 中的部分设置无法使用（{1}），已用默认值代替。{2}</translation>
    </message>
    <message>
        <source>The settings could not be saved: {0}</source>
        <translation>无法保存设置：{0}</translation>
    </message>
    <message>
        <source>Staged</source>
        <translation>分级</translation>
    </message>
    <message>
        <source>A token tree from the draft, which n-grams speed up in turn. The fastest mode.</source>
        <translation>草稿模型给出词元树，n 元语法再为其加速。最快的模式。</translation>
    </message>
    <message>
        <source>Tree</source>
        <translation>树</translation>
    </message>
    <message>
        <source>The draft proposes a tree of likely continuations; the target checks all in one pass.</source>
        <translation>草稿模型提出一棵可能续写的树；目标模型一次前向全部检验。</translation>
    </message>
    <message>
        <source>Speculative</source>
        <translation>推测</translation>
    </message>
    <message>
        <source>A small draft model proposes a chain of tokens; the target checks them in one pass.</source>
        <translation>小型草稿模型提出一串词元；目标模型一次前向检验。</translation>
    </message>
    <message>
        <source>N-gram</source>
        <translation>n 元语法</translation>
    </message>
    <message>
        <source>Proposals from n-grams alone: a static table and the conversation itself. Needs no draft.</source>
        <translation>仅由 n 元语法提议：静态表和对话本身。无需草稿模型。</translation>
    </message>
    <message>
        <source>Plain</source>
        <translation>普通</translation>
    </message>
    <message>
        <source>One token per pass of the target. The reference that every other mode must match.</source>
        <translation>目标模型每次前向一个词元。其他模式都必须与之一致的基准。</translation>
    </message>
    <message>
        <source>Decoding mode</source>
        <translation>解码模式</translation>
    </message>
    <message>
        <source>How answers are sped up. The text is the same in every mode.</source>
        <translation>回答如何加速。各模式的文本完全相同。</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>The small model that proposes tokens. It must share the target&apos;s vocabulary.</source>
        <translation>提议词元的小模型，必须与目标模型共用词表。</translation>
    </message>
    <message>
        <source>The one that comes with the model</source>
        <translation>随模型附带的</translation>
    </message>
    <message>
        <source>Tree budget</source>
        <translation>树的规模</translation>
    </message>
    <message>
        <source>The most tokens that one pass of the target may check. Automatic weighs what a token adds against what it costs on this machine.</source>
        <translation>目标模型一次前向最多检验的词元数。自动会权衡每个词元的收益与在本机上的代价。</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Stage 2: n-grams speed up the draft</source>
        <translation>第二级：n 元语法为草稿加速</translation>
    </message>
    <message>
        <source>In staged mode, n-grams run ahead of the draft, which checks several at once.</source>
        <translation>分级模式下，n 元语法先行，草稿模型一次检验多个。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always takes the most probable token; higher values surprise more.</source>
        <translation>0 总是取最可能的词元；值越大越出人意料。</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Only the k most probable tokens may be chosen; 0 allows all.</source>
        <translation>只从最可能的 k 个词元中选；0 表示不限。</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Only the most probable tokens that together reach this probability may be chosen; 1 allows all.</source>
        <translation>只从累计概率达到此值的最可能词元中选；1 表示不限。</translation>
    </message>
    <message>
        <source>Repetition penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>Makes tokens that were used before less probable; 1 is off.</source>
        <translation>降低已用词元的概率；1 表示关闭。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>The same seed gives the same answer. Each answer shows the seed that it used.</source>
        <translation>相同种子给出相同回答。每个回答都显示所用种子。</translation>
    </message>
    <message>
        <source>A new one for each answer</source>
        <translation>每个回答用新的种子</translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation>最长回答</translation>
    </message>
    <message>
        <source>In tokens. An answer that was cut off can be continued.</source>
        <translation>以词元计。被截断的回答可以继续。</translation>
    </message>
    <message>
        <source>Stop at</source>
        <translation>停止文本</translation>
    </message>
    <message>
        <source>Texts that end an answer, one a line. The chat format has its own besides.</source>
        <translation>结束回答的文本，每行一个。聊天格式另有自己的。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The model that answers: the built-in one, or a folder with a GPT-2 checkpoint.</source>
        <translation>作答的模型：内置模型，或含 GPT-2 检查点的文件夹。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Where the model computes.</source>
        <translation>模型在何处计算。</translation>
    </message>
    <message>
        <source>Processor (CPU)</source>
        <translation>处理器 (CPU)</translation>
    </message>
    <message>
        <source>NVIDIA GPU (CUDA)</source>
        <translation>NVIDIA GPU (CUDA)</translation>
    </message>
    <message>
        <source>Second NVIDIA GPU</source>
        <translation>第二块 NVIDIA GPU</translation>
    </message>
    <message>
        <source>Apple GPU (Metal)</source>
        <translation>Apple GPU (Metal)</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Automatic measures which is fastest here. 16 bit halves the memory.</source>
        <translation>自动会测量哪种在本机最快。16 位可使内存减半。</translation>
    </message>
    <message>
        <source>32 bit (float32)</source>
        <translation>32 位 (float32)</translation>
    </message>
    <message>
        <source>16 bit (bfloat16)</source>
        <translation>16 位 (bfloat16)</translation>
    </message>
    <message>
        <source>16 bit (float16)</source>
        <translation>16 位 (float16)</translation>
    </message>
    <message>
        <source>8-bit weights (int8)</source>
        <translation>8 位权重 (int8)</translation>
    </message>
    <message>
        <source>Processor threads</source>
        <translation>处理器线程</translation>
    </message>
    <message>
        <source>How many cores the model may use.</source>
        <translation>模型可使用的核心数。</translation>
    </message>
    <message>
        <source>Build n-gram tables when idle</source>
        <translation>空闲时生成 n 元语法表</translation>
    </message>
    <message>
        <source>A model with a draft but no n-gram table gets one while nothing else is to be done. Answers never wait.</source>
        <translation>有草稿模型但没有 n 元语法表的模型，会在没有其他事情要做时得到一个。回答从不等待它。</translation>
    </message>
    <message>
        <source>Folder for models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Where downloads are kept: GPT-2 Large takes 2 GB, and 5 GB while it arrives.</source>
        <translation>下载内容的存放处：GPT-2 Large 占 2 GB，下载期间占 5 GB。</translation>
    </message>
    <message>
        <source>In the data folder</source>
        <translation>在数据文件夹中</translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation>聊天格式</translation>
    </message>
    <message>
        <source>How a conversation becomes text for a model that was never taught to chat.</source>
        <translation>对话如何变成文本，供从未学过聊天的模型使用。</translation>
    </message>
    <message>
        <source>The model&apos;s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>对话稿</translation>
    </message>
    <message>
        <source>Turns on lines of their own, behind the speakers&apos; names.</source>
        <translation>每轮一行，前面是说话者姓名。</translation>
    </message>
    <message>
        <source>End-of-text</source>
        <translation>文本结束符</translation>
    </message>
    <message>
        <source>Turns separated by the end-of-text token, as DialoGPT was trained.</source>
        <translation>各轮以文本结束词元分隔，如 DialoGPT 的训练方式。</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>The chat template of the model&apos;s tokenizer, where it has one.</source>
        <translation>模型分词器的聊天模板（若有）。</translation>
    </message>
    <message>
        <source>Preamble</source>
        <translation>前言</translation>
    </message>
    <message>
        <source>A text before every conversation. It stays when old turns have to leave.</source>
        <translation>每段对话之前的文本。旧轮次被略去时它仍保留。</translation>
    </message>
    <message>
        <source>Your name</source>
        <translation>您的名字</translation>
    </message>
    <message>
        <source>What stands before your messages in a transcript.</source>
        <translation>对话稿中您的消息之前的名字。</translation>
    </message>
    <message>
        <source>The assistant&apos;s name</source>
        <translation>助手的名字</translation>
    </message>
    <message>
        <source>What stands before the answers in a transcript.</source>
        <translation>对话稿中回答之前的名字。</translation>
    </message>
    <message>
        <source>When a conversation outgrows the context</source>
        <translation>当对话超出上下文时</translation>
    </message>
    <message>
        <source>The model sees 1,024 tokens at most: preamble, conversation and answer.</source>
        <translation>模型最多看到 1,024 个词元：前言、对话和回答。</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>略去最早的轮次</translation>
    </message>
    <message>
        <source>Whole turns leave, the preamble stays, and the window says so.</source>
        <translation>整轮略去，前言保留，窗口会给出提示。</translation>
    </message>
    <message>
        <source>Say so and stop</source>
        <translation>提示并停止</translation>
    </message>
    <message>
        <source>Nothing is left out; the message is not answered.</source>
        <translation>不略去任何内容；不回答该消息。</translation>
    </message>
    <message>
        <source>Send with</source>
        <translation>发送键</translation>
    </message>
    <message>
        <source>Shift+Enter always begins a new line.</source>
        <translation>Shift+Enter 总是换行。</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Text size (%)</source>
        <translation>文字大小 (%)</translation>
    </message>
    <message>
        <source>In percent of the system&apos;s size. Ctrl with +, - and 0 changes it too.</source>
        <translation>相对系统大小的百分比。Ctrl 加 +、- 和 0 也可更改。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Show the live panel</source>
        <translation>显示实时面板</translation>
    </message>
    <message>
        <source>Colour tokens by origin</source>
        <translation>按来源为词元着色</translation>
    </message>
    <message>
        <source>Shows which tokens came from n-grams, from the draft and from the target.</source>
        <translation>显示哪些词元来自 n 元语法、草稿和目标。</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Creative</source>
        <translation>创意</translation>
    </message>
    <message>
        <source>Greedy: always the most probable token</source>
        <translation>贪心：总取最可能的词元</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>No setting has this text.</source>
        <translation>没有包含此文本的设置。</translation>
    </message>
    <message>
        <source>Reset this page</source>
        <translation>重置此页</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>About and diagnostics</source>
        <translation>关于与诊断</translation>
    </message>
    <message>
        <source>Search results</source>
        <translation>搜索结果</translation>
    </message>
</context>
<context>
    <name>ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>书写</translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>Nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Delete “{title}”?</source>
        <translation>删除“{title}”？</translation>
    </message>
    <message>
        <source>It can be brought back for a few seconds.</source>
        <translation>几秒钟内可以恢复。</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Delete …</source>
        <translation>删除…</translation>
    </message>
</context>
<context>
    <name>SpeedChart</name>
    <message>
        <source>Speed is drawn here while an answer is written.</source>
        <translation>生成回答时，速度显示在此。</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Get GPT-2 Large …</source>
        <translation>获取 GPT-2 Large…</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
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
        <translation>欢迎使用 Staged Chat</translation>
    </message>
    <message>
        <source>A chat that runs on this computer alone. A small draft model guesses ahead and the large model checks many guesses at once: the same answers, several times faster. The panel at the right shows how.

A small built-in model starts right away. For GPT-2 Large, visit the model library.</source>
        <translation>只在本机运行的聊天。小型草稿模型先行猜测，大模型一次检验多个猜测：回答相同，速度快数倍。右侧面板展示其过程。

内置的小模型立即可用。如需 GPT-2 Large，请前往模型库。</translation>
    </message>
    <message>
        <source>What is on your mind?</source>
        <translation>在想什么？</translation>
    </message>
    <message>
        <source>Everything stays on this computer.</source>
        <translation>一切都留在本机。</translation>
    </message>
    <message>
        <source>Loading the model: {stage}. You can write already.</source>
        <translation>正在加载模型：{stage}。现在就可以开始写。</translation>
    </message>
    <message>
        <source>{model} is ready.</source>
        <translation>{model} 已就绪。</translation>
    </message>
    <message>
        <source>The model could not be loaded: {reason}</source>
        <translation>无法加载模型：{reason}</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>未加载模型。</translation>
    </message>
</context>
<context>
    <name>StorageCard</name>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Delete all conversations …</source>
        <translation>删除所有对话…</translation>
    </message>
    <message>
        <source>Conversations and models are kept in</source>
        <translation>对话和模型保存在</translation>
    </message>
    <message>
        <source>Deleting all conversations cannot be undone. Models and settings stay.</source>
        <translation>删除所有对话无法撤销。模型和设置保留。</translation>
    </message>
    <message>
        <source>Delete all conversations?</source>
        <translation>删除所有对话？</translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation>此操作无法撤销。</translation>
    </message>
</context>
<context>
    <name>TextBlock</name>
    <message>
        <source>Message text</source>
        <translation>消息文本</translation>
    </message>
    <message>
        <source>{origin} · round {round} · tree of {size} · {emitted} emitted</source>
        <translation>{origin} · 第 {round} 轮 · 树大小 {size} · 输出 {emitted}</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Jump to the latest message</source>
        <translation>跳到最新消息</translation>
    </message>
</context>
<context>
    <name>_CodeText</name>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
</context>
<context>
    <name>_Counts</name>
    <message numerus="yes">
        <source>%n token(s)</source>
        <translation>
            <numerusform>%n 个词元</numerusform>
        </translation>
    </message>
</context>
</TS>
