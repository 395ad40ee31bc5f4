# ruff: noqa: RUF001
"""Two sentences in each of some languages."""

LANGUAGES = {
    "french": (
        "Le marché ouvre à huit heures et les voisins apportent des légumes très "
        "frais. Nous avons décidé de garder la liste des prêts dans une base de "
        "données simple, parce que personne ne l'avait encore vérifiée."
    ),
    "german": (
        "Die Ausleihe öffnet um acht Uhr, und wer ein Werkzeug zurückbringt, "
        "unterschreibt auf einer Liste. Für größere Geräte müssen wir außerdem "
        "eine Kaution verlangen, weil die Reparatur sonst niemand bezahlt."
    ),
    "spanish": (
        "La biblioteca abre a las ocho y los vecinos traen libros que ya no "
        "necesitan. Después de la reunión decidimos añadir una página nueva para "
        "que cada persona pueda ver qué está disponible mañana."
    ),
    "polish": (
        "Wypożyczalnia otwiera się o ósmej rano, a sąsiedzi przynoszą narzędzia, "
        "których już nie potrzebują. Postanowiliśmy zapisywać każdą pożyczkę w "
        "prostej bazie danych, żeby nic się nie zgubiło."
    ),
    "vietnamese": (
        "Thư viện mở cửa lúc tám giờ và mọi người mang sách đến trả. Chúng tôi "
        "quyết định ghi lại từng lần mượn trong một cơ sở dữ liệu đơn giản để "
        "không bị mất thông tin."
    ),
    "russian": (
        "Мастерская открывается в восемь часов, и соседи приносят инструменты, "
        "которые им больше не нужны. Мы решили записывать каждую выдачу в "
        "простую базу данных, чтобы ничего не потерялось."
    ),
    "ukrainian": (
        "Майстерня відчиняється о восьмій годині, і сусіди приносять "
        "інструменти, які їм більше не потрібні. Ми вирішили записувати кожну "
        "позику в просту базу даних, щоб нічого не загубилося."
    ),
    "greek": (
        "Το εργαστήριο ανοίγει στις οκτώ και οι γείτονες φέρνουν εργαλεία που "
        "δεν χρειάζονται πια. Αποφασίσαμε να γράφουμε κάθε δανεισμό σε μια απλή "
        "βάση δεδομένων για να μη χαθεί τίποτα."
    ),
    "arabic": (
        "تفتح المكتبة أبوابها في الساعة الثامنة ويحضر الجيران الكتب التي لم "
        "يعودوا بحاجة إليها. قررنا أن نسجل كل إعارة في قاعدة بيانات بسيطة حتى لا "
        "يضيع أي شيء."
    ),
    "hebrew": (
        "הספרייה נפתחת בשעה שמונה והשכנים מביאים ספרים שהם כבר לא צריכים. החלטנו "
        "לרשום כל השאלה במסד נתונים פשוט כדי ששום דבר לא יאבד."
    ),
    "hindi": (
        "पुस्तकालय सुबह आठ बजे खुलता है और पड़ोसी वे किताबें लाते हैं जिनकी "
        "उन्हें अब ज़रूरत नहीं है। हमने तय किया कि हर उधार को एक सरल डेटाबेस में "
        "लिखा जाएगा ताकि कुछ भी खो न जाए।"
    ),
    "thai": (
        "ห้องสมุดเปิดเวลาแปดโมงเช้า และเพื่อนบ้านนำหนังสือที่ไม่ต้องการแล้วมาให้ เราตัดสินใจบันทึกการยืมทุกครั้งในฐานข้อมูล เพื่อไม่ให้ข้อมูลสูญหาย"
    ),
    "chinese": (
        "图书馆早上八点开门，邻居们把不再需要的书带来。我们决定把每一次借阅都记录在一个简单的数据库里，这"
        "样就不会丢失任何东西。会议结束以后，大家同意增加一个新的页面，让每个人都能看到明天有什么可以借。"
    ),
    "japanese": (
        "図書館は朝八時に開き、近所の人たちがもう必要のない本を持ってきます。私たちは、何もなくならないよ"
        "うに、すべての貸し出しを簡単なデータベースに記録することにしました。"
    ),
    "korean": (
        "도서관은 아침 여덟 시에 문을 열고 이웃들은 더 이상 "
        "필요하지 않은 책을 가져옵니다. 우리는 아무것도 잃어버리지 않도록 "
        "모든 대출을 간단한 데이터베이스에 기록하기로 결정했습니다."
    ),
}
